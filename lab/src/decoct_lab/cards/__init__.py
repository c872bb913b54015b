"""Paper-cards by a language model, as the question-compression paper makes them."""
