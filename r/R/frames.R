# Data frames of every kind as Arrow streams, and releases as the kind of data frame that came in.

is_stream <- function(x) inherits(x, "nanoarrow_array_stream")

# A stream of a data frame, or of anything that nanoarrow can make one of.
# A column that is never read may hold anything: in its place are bytes, which the library refuses if they are to be read
# after all.
stream_of <- function(x, is_withheld = function(name) FALSE) {
  if (is_stream(x)) return(x)
  if (!is.data.frame(x)) {
    if (is.matrix(x) || is.list(x) || is.null(x) || is.atomic(x)) {
      raise_failure(1L, "the table is not a data frame", "as.data.frame(x) makes one of a matrix or a list of columns")
    }
    if (!requireNamespace("nanoarrow", quietly = TRUE)) {
      usage_error("the table is not a data frame; other tables need the package nanoarrow")
    }
    return(nanoarrow::as_nanoarrow_array_stream(x))
  }
  columns <- lapply(unclass_frame(x), function(column) if (inherits(column, "POSIXlt")) as.POSIXct(column) else column)
  odd <- vapply(columns, function(column) !is.null(dim(column)) || is_broken(column) || any(Encoding(texts_of(column)) == "bytes"), NA)
  hidden <- names(columns)[odd & vapply(names(columns), is_withheld, NA)]
  columns[hidden] <- rep(list(raw(nrow(x))), length(hidden))
  refuse_broken_texts(columns)
  .Call(C_frame_stream, columns, nrow(x))
}

# R would write such bytes as <ff>, so that different texts could become the same one.
texts_of <- function(column) {
  if (is.factor(column)) levels(column) else if (is.character(column)) bare(column) else character()
}

is_broken <- function(column) !all(validEnc(texts_of(column)))

refuse_broken_texts <- function(columns) {
  broken <- names(Filter(is_broken, columns))
  if (length(broken) > 0) {
    data_error("texts that are not valid in their encoding: ", paste(broken, collapse = ", "))
  }
}

# The columns as a plain named list: subsetting a tibble or a data.table has rules of its own.
unclass_frame <- function(x) {
  attributes(x) <- list(names = names(x))
  x
}

# What is needed to make a release look like what came in. It holds no values.
frame_form <- function(x) {
  if (!is.data.frame(x)) return(list(kind = "data.frame", columns = list()))
  columns <- lapply(unclass_frame(x), function(column) {
    kept <- attributes(column)[c("class", "tzone", "units")]
    kept$tzone <- kept$tzone[1] # POSIXlt has the names of winter and summer time beside the zone
    list(text = is.character(column), factor = is.factor(column), attributes = kept[!vapply(kept, is.null, NA)],
         integer64 = inherits(column, "integer64"), difftime = inherits(column, "difftime"),
         time = inherits(column, "POSIXt"), labelled = labelled_form(column))
  })
  kind <- if (inherits(x, "data.table")) "data.table" else if (inherits(x, "tbl_df")) "tibble" else "data.frame"
  list(kind = kind, columns = columns)
}

# ---- labelled values of haven ----

# Which values mean "no value" beside NA: those that na_values and na_range name.
is_user_missing <- function(values, column) {
  range <- attr(column, "na_range")
  within <- if (length(range) == 2) !is.na(values) & values >= range[[1]] & values <= range[[2]] else FALSE
  values %in% attr(column, "na_values") | within
}

bare <- function(column) {
  attributes(column) <- NULL
  column
}

# The values with a label, in their order and without those that mean "no value", and what makes the column labelled.
labelled_form <- function(column) {
  if (!inherits(column, "haven_labelled")) return(NULL)
  labels <- attr(column, "labels")
  labels <- if (is.null(labels)) bare(column)[0] else labels[!is.na(labels) & !is_user_missing(bare(labels), column)]
  list(values = labels[order(bare(labels))], attributes = attributes(column)[setdiff(names(attributes(column)), "names")])
}

# Labelled columns that are generalised or protected: levels in the order of their values where all of them have a label, else
# numbers; user-missing values are missing. What is released as it is keeps all its values.
with_levels <- function(x, schema) {
  if (!is.data.frame(x) || !any(vapply(unclass_frame(x), inherits, NA, "haven_labelled"))) return(x)
  columns <- unclass_frame(x)
  for (name in names(columns)) {
    form <- labelled_form(columns[[name]])
    role <- .Call(C_schema_get, schema, "role", name)
    if (is.null(form) || is.null(role) || !role %in% c("quasi", "sensitive")) next
    values <- bare(columns[[name]])
    values[is_user_missing(values, columns[[name]])] <- NA
    labels <- bare(form$values)
    all_labelled <- length(labels) > 0 && all(values[!is.na(values)] %in% labels) && !anyDuplicated(names(form$values))
    columns[[name]] <- if (all_labelled) {
      factor(match(values, labels), levels = seq_along(labels), labels = names(form$values), ordered = TRUE)
    } else {
      values
    }
  }
  structure(columns, row.names = .set_row_names(nrow(x)), class = "data.frame")
}

# A released column with the values, labels and class that it had.
labelled_again <- function(column, form) {
  if (is.factor(column)) {
    known <- levels(column) %in% names(form$values)
    if (!all(known)) return(column)
    column <- bare(form$values)[match(levels(column), names(form$values))][as.integer(column)]
  }
  if (mode(column) != mode(form$values)) return(column)
  attributes(column) <- form$attributes
  column
}

# Names of released columns that a column of the table can become.
released_names <- function(name) c(name, paste0(name, c("_min", "_max")))

integer64_names <- function(form) {
  whole <- names(Filter(function(column) column$integer64, form$columns))
  as.character(unlist(lapply(whole, released_names)))
}

# The released columns as the kind of data frame that came in. Levels that no released record has are not there.
as_frame <- function(columns, form) {
  for (name in names(form$columns)) {
    for (released in intersect(released_names(name), names(columns))) {
      if (released != name && released %in% names(form$columns)) next
      columns[[released]] <- restore(columns[[released]], form$columns[[name]])
    }
  }
  rows <- if (length(columns) == 0) 0L else length(columns[[1]])
  frame <- structure(columns, row.names = .set_row_names(rows), class = "data.frame")
  if (form$kind == "tibble") class(frame) <- c("tbl_df", "tbl", "data.frame")
  if (form$kind == "data.table" && requireNamespace("data.table", quietly = TRUE)) data.table::setDT(frame)
  frame
}

restore <- function(column, was) {
  if (!is.null(was$labelled)) return(labelled_again(column, was$labelled))
  if (was$text && is.factor(column)) return(as.character(column))
  if (was$time && inherits(column, "POSIXct")) attr(column, "tzone") <- was$attributes$tzone
  if (was$difftime && is.numeric(column)) attributes(column) <- was$attributes
  column
}
