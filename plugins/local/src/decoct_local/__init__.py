"""Language models in GGUF form in this process, on llama.cpp: generation, token counts, log-likelihoods, and fetching them."""

__all__: list[str] = []  # what it brings is named by recipes, commands and specs
