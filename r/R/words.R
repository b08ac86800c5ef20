# The words of arguments that take one of several. Made from the table of options by scripts/make-hosts; do not edit.
option_words <- list(
  default_role = c("quasi", "sensitive", "identifying", "insensitive"),
  effort = c("fast", "balanced", "best"),
  empty = c("missing", "value"),
  masks = c("right", "left"),
  numeric = c("columns", "interval", "mean"),
  recode = c("record", "attribute"),
  suppressed = c("drop", "keep"),
  types = c("integer", "decimal", "date", "categorical", "ordinal")
)
