"""Measures of conflicts, of sets that label them: entries of `decoct.measures` (`decoct.evaluate.measure`)."""
