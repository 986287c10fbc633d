"""The GPU engine: the stages of a round as PyTorch tensors that stay on the device.

It runs on torch's CPU device too, slowly, so that it can be tested where there is no GPU.
"""
