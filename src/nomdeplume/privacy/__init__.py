"""What is promised, where the noise comes from, and how a release proves both."""
