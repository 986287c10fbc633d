"""Primitives of the GPU engine as kernels of Triton, which comes with PyTorch for NVIDIA and AMD.

Each does in one launch what the torch functions beside this folder do in dozens; those stay the
reference, and do the work where Triton is missing or cannot compile.
"""
