"""Language models in GGUF form in this process, on llama.cpp: generation, token counts, log-likelihoods, and fetching them."""
