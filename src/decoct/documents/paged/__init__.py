"""Pages as they are printed: PDF and pictures, read from where their letters stand."""
