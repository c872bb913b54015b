"""Training of the small reader (`decoct train reader`): examples, negatives, the model, the loop, export and figures."""
