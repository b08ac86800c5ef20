# Failures of the library as conditions. Each has the class of its status, kanon_error, error and condition; message and hint
# are the library's own. conditionMessage() shows both.

status_classes <- c("kanon_usage", "kanon_data", "kanon_infeasible", "kanon_memory", "kanon_io", "kanon_cancelled",
                    "kanon_version", "kanon_internal")

#' Conditions
#'
#' A call that fails signals a condition of class `kanon_error` with one more class that says why:
#' `kanon_usage` (the call is wrong), `kanon_data` (the input is wrong), `kanon_infeasible` (no grouping can meet the
#' requirement), `kanon_memory`, `kanon_io` (a file), `kanon_version` (a file of another version) or `kanon_internal` (a
#' result failed its independent check; nothing was released). The condition has the fields `reason`, one line without any
#' value of the table, `hint`, what to do next, and `topic`, a word for programs. An interrupt is R's own condition
#' `interrupt`.
#'
#' @examples
#' people <- data.frame(age = c(23, 25, 41, 44), disease = c("flu", "cold", "flu", "cold"))
#' tryCatch(kanonymise(people, quasi = "age", k = 2, strict = TRUE), kanon_data = function(e) cat(e$reason, "\n"))
#' @name kanon_error
NULL

# What an error is about, by its topic, in the words of R; in place of the library's hint, which speaks of schema files.
hints <- c(
  roles = "name those that could single out a person: quasi = c(\"age\", \"zip\")",
  columns = "give names of columns, each by itself: quasi = c(\"age\", \"zip\")",
  k = "say how many records at least are to be alike: k = 5",
  entity = "name the column that says whose record it is: entity = \"patient\"",
  numeric = "numeric = \"interval\" adds no columns",
  `state-exists` = "open it with kanon_state(path), or remove it to start over",
  state = "kanon_state(path, release) makes one",
  update = "to change a record: state$update(records)",
  `grow-taxonomy` = "add it to the taxonomy, or say grow_taxonomy = TRUE",
  again = "to apply them nevertheless: again = TRUE",
  repair = "repair = TRUE changes such groups",
  wait = "wait_seconds says how long to wait"
)

# Called by C as well.
raise_failure <- function(status, message, hint = "", topic = "") {
  message <- sub("^Arrow stream: ", "", message) # there is one table, and nobody named it
  if (topic %in% names(hints) && !startsWith(hint, "did you mean")) hint <- hints[[topic]]
  shown <- if (nzchar(hint)) paste0(message, "\n", hint) else message
  stop(structure(
    class = c(status_classes[[status]], "kanon_error", "error", "condition"),
    list(message = shown, call = NULL, reason = message, hint = hint, topic = topic)
  ))
}

usage_error <- function(...) raise_failure(1L, paste0(...))
data_error <- function(...) raise_failure(2L, paste0(...))
