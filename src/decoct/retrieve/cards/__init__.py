"""Questions and paper-cards as an index (the question-compression paper): one or two vectors a document instead of hundreds."""
