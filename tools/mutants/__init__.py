"""What can be changed in a module, and which tests would see it."""
