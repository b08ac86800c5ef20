# What is said about columns and requirements, as a schema of the library.

# Words of the library for what roles are called here.
roles <- c("quasi", "sensitive", "identifying", "insensitive")

make_schema <- function(
  # generated: schema
  quasi = NULL, sensitive = NULL, identifying = NULL, insensitive = NULL, schema = NULL, default_role = NULL,
  taxonomies = NULL, bands = NULL, top = NULL, bottom = NULL, masks = NULL, weights = NULL, permute = NULL,
  ends = NULL, types = NULL, orders = NULL, formats = NULL, missing = NULL, empty = NULL, decimal = NULL,
  thousands = NULL, same = NULL, constraints = NULL, entity = NULL, entity_together = FALSE,
  suppressed = NULL, singled_out = NULL, key = NULL
  # end
) {
  handle <- new_schema(schema)
  set <- function(what, column, value) .Call(C_schema_set, handle, what, column, value)
  given <- list(quasi = quasi, sensitive = sensitive, identifying = identifying, insensitive = insensitive)
  check_names(given)
  check_words(list(types = types, masks = masks, ends = ends, empty = empty, default_role = default_role, suppressed = suppressed))
  check_ways(types, list(masks = masks, taxonomies = taxonomies, orders = orders, bands = bands, top = top, bottom = bottom))
  for (role in roles) for (column in given[[role]]) set("role", column, role)
  if (!is.null(default_role)) set("default-role", NULL, default_role)
  by_column <- list(types = types, weights = weights, masks = masks, bands = bands, top = top, bottom = bottom,
                    formats = formats, ends = ends)
  keys <- c(types = "type", weights = "weight", masks = "mask", bands = "bands", top = "top", bottom = "bottom",
            formats = "format", ends = "ends")
  for (what in names(by_column)) {
    for (column in named(by_column[[what]], what)) set(keys[[what]], column, setting_text(by_column[[what]][[column]]))
  }
  for (column in permute) set("permute", column, "true")
  for (column in named(orders, "orders")) {
    set("order", column, list_text(orders[[column]]))
  }
  separators <- separators_by_column(decimal, thousands)
  for (i in seq_along(separators)) {
    column <- if (nzchar(names(separators)[i])) names(separators)[i]
    for (name in c("decimal", "thousands")) set(name, column, NULL) # one of them is about both
    for (name in names(separators[[i]])) set(name, column, separators[[i]][[name]])
  }
  for (column in named(taxonomies, "taxonomies")) set_taxonomy(set, column, taxonomies[[column]])
  if (length(missing) > 0) set("missing", NULL, list_text(missing))
  if (!is.null(empty)) set("empty", NULL, empty)
  for (texts in if (is.list(same)) same else if (!is.null(same)) list(same)) {
    set("same", NULL, list_text(texts))
  }
  for (one in listed(constraints)) set("constraint", NULL, constraint_text(one))
  if (!is.null(entity)) set("entity", NULL, entity)
  if (entity_together) set("entity-together", NULL, "true")
  if (!is.null(key)) set("key", NULL, list_text(key))
  if (!is.null(suppressed)) set("suppressed", NULL, as.character(suppressed))
  if (!is.null(singled_out)) set("singled-out", NULL, setting_text(singled_out))
  handle
}

# The schema to begin with: a file, YAML (a text with several lines), a proposal, or an empty one.
new_schema <- function(schema) {
  if (inherits(schema, "kanon_proposal")) schema <- schema$text
  if (!is.null(schema) && (!is.character(schema) || length(schema) == 0 || anyNA(schema))) {
    usage_error("schema is the path of a schema file, its text, or what propose_schema() gave")
  }
  text <- enc2utf8(paste(schema, collapse = "\n"))
  if (is.null(schema)) .Call(C_schema_new, NULL, NULL)
  else if (grepl("\n", text, fixed = TRUE)) .Call(C_schema_new, NULL, text)
  else .Call(C_schema_new, text, NULL)
}

# Texts as the library reads lists of them: ["a", "b, c"].
list_text <- function(x) {
  quoted <- sprintf('"%s"', gsub('(["\\\\])', "\\\\\\1", enc2utf8(as.character(x))))
  paste0("[", paste(quoted, collapse = ", "), "]")
}

# The separators of each column as list(decimal = ",", thousands = "."). The name "" stands for all columns.
separators_by_column <- function(decimal, thousands) {
  for (mark in c(decimal, thousands)) {
    if (!is.character(mark) || nchar(mark) != 1) usage_error("a separator is one character, such as ',' or '.'")
  }
  columns_of <- function(given) if (is.null(names(given)) && !is.null(given)) "" else names(given)
  columns <- unique(c(columns_of(decimal), columns_of(thousands)))
  mark_of <- function(given, column) {
    if (is.null(names(given)) && !is.null(given)) return(given[[1]])
    if (column %in% names(given)) given[[column]]
  }
  marks <- lapply(columns, function(column) {
    Filter(Negate(is.null), list(decimal = mark_of(decimal, column), thousands = mark_of(thousands, column)))
  })
  stats::setNames(marks, columns)
}

check_names <- function(given) {
  for (role in names(given)) {
    names <- given[[role]]
    if (is.null(names)) next
    if (is.numeric(names)) raise_failure(1L, paste(role, "must be names of columns"), paste0(role, " = names(x)[", deparse1(names), "]"))
    if (!is.character(names)) usage_error(role, " must be names of columns")
  }
  for (role in names(given)) {
    for (other in setdiff(names(given), role)) {
      both <- intersect(given[[role]], given[[other]])
      if (length(both) > 0) usage_error("the column ", both[[1]], " is named as ", role, " and as ", other)
    }
  }
}

named <- function(values, what, of = "column") {
  if (length(values) > 0 && (is.null(names(values)) || !all(nzchar(names(values))))) {
    usage_error(what, " has a name for each value: ", what, " = c(", of, " = value)")
  }
  twice <- unique(names(values)[duplicated(names(values))])
  if (length(twice) > 0) usage_error(what, " names ", paste(twice, collapse = ", "), " twice")
  names(values)
}

# Each column has one way to intervals or categories, and one that fits the type that is named for it: the library is told
# one after another, and the last would win.
check_ways <- function(types, given) {
  ways <- c(masks = "a mask", taxonomies = "a taxonomy", orders = "an order", bands = "bands", top = "bands", bottom = "bands")
  fitting <- list(`a mask` = "categorical", `a taxonomy` = "categorical", `an order` = "ordinal",
                  bands = c("integer", "decimal", "date"))
  columns <- lapply(names(ways), function(what) named(given[[what]], what))
  said <- unique(data.frame(column = as.character(unlist(columns)), way = rep(unname(ways), lengths(columns))))
  for (column in unique(said$column)) {
    own <- said$way[said$column == column]
    if (length(own) > 1) usage_error("column ", column, " has ", own[[1]], " and ", own[[2]])
    if (column %in% named(types, "types") && !types[[column]] %in% fitting[[own]]) {
      usage_error("column ", column, " has ", own, ", and its type is ", types[[column]])
    }
  }
}

# One constraint, or a list of them.
listed <- function(x) if (is.list(x) && is.null(names(x))) x else if (is.character(x) && is.null(names(x))) as.list(x) else
  if (is.null(x)) NULL else list(x)

# c(model = "t-closeness", attribute = "disease", t = 0.3) as the text that the library reads.
constraint_text <- function(x) {
  if (is.character(x) && length(x) == 1 && is.null(names(x))) return(x)
  paste(names(x), vapply(as.list(x), setting_text, ""), sep = "=", collapse = ",")
}

# A value as the library reads it: numbers with all their digits, TRUE as "true"; several with commas between them.
setting_text <- function(x) {
  if (inherits(x, "Date")) x <- format(x, "%Y-%m-%d")
  texts <- if (is.logical(x)) tolower(as.character(x)) else if (is.numeric(x)) number_text(x) else as.character(x)
  paste(texts, collapse = ",")
}

number_text <- function(x) vapply(x, function(one) {
  for (digits in c(15L, 17L)) {
    text <- format(one, digits = digits, scientific = FALSE, trim = TRUE, decimal.mark = ".")
    if (as.numeric(text) == one) break
  }
  text
}, "", USE.NAMES = FALSE)

settings_text <- function(settings) {
  if (length(settings) == 0) return(NULL)
  named(settings, "settings", "name")
  vapply(as.list(settings), setting_text, "")
}

# A taxonomy is the path of a file, a nested list, or a data frame or matrix of paths from leaf to root.
set_taxonomy <- function(set, column, tree) {
  if (is.character(tree) && length(tree) == 1 && is.null(dim(tree))) return(set("taxonomy", column, tree))
  set("tree", column, taxonomy_csv(tree))
}

table_paths <- function(tree) {
  cells <- as.matrix(as.data.frame(lapply(as.data.frame(tree), as.character), stringsAsFactors = FALSE))
  lapply(seq_len(nrow(cells)), function(i) unname(cells[i, !is.na(cells[i, ])]))
}

# list(any = list(viral = c("HIV", "flu"), cancer = NULL)): one root; several are put below "*".
list_paths <- function(tree) {
  walk <- function(name, below, above) {
    here <- c(name, above)
    if (length(below) == 0) return(list(here))
    if (is.null(names(below))) return(lapply(as.character(unlist(below)), c, here))
    do.call(c, lapply(names(below), function(child) walk(child, below[[child]], here)))
  }
  if (is.null(names(tree))) return(lapply(as.character(unlist(tree)), c, "*"))
  if (length(tree) == 1 && length(tree[[1]]) > 0) return(walk(names(tree), tree[[1]], character()))
  do.call(c, lapply(names(tree), function(root) walk(root, tree[[root]], "*")))
}

# Stops where ... has an argument that neither the function `called` nor make_schema has; names the nearest one.
check_dots <- function(called, ...) {
  known <- setdiff(union(names(formals(make_schema)), names(formals(get(called)))), "...")
  if (called == "kanonymise") known <- setdiff(names(formals(kanonymise.default)), "...")
  given <- names(list(...))
  if (...length() > 0 && (is.null(given) || !all(nzchar(given)))) {
    usage_error(called, "(): columns and requirements have names: quasi = c(...), sensitive = c(...)")
  }
  for (name in setdiff(given, known)) {
    usage_error(called, "() has no argument '", name, "'", nearest(name, known))
  }
}

# Stops where ... has anything: it stands there for other methods alone.
no_dots <- function(called, known, ...) {
  if (...length() == 0) return(invisible())
  name <- c(names(list(...)), "")[[1]]
  if (!nzchar(name)) usage_error(called, "() has no such argument: those behind the first have names")
  usage_error(called, "() has no argument '", name, "'", nearest(name, known))
}

# "; did you mean 'quasi'?" where a known word is like it.
nearest <- function(name, known) {
  far <- utils::adist(name, known)
  if (min(far) <= max(2, nchar(name) / 3)) paste0("; did you mean '", known[which.min(far)], "'?")
}

# A seed, else an error with the words of the library.
seed_number <- function(x, name = "seed") {
  if (!is.numeric(x) || length(x) != 1 || is.na(x) || x < 0 || x > 9007199254740991 || x != floor(x)) {
    usage_error(name, " must be a whole number from 0 to 9007199254740991")
  }
  as.numeric(x)
}

# How the records of a release are ordered: a seed alone asks for a shuffled release, too.
release_order <- function(shuffle, shuffle_seed) {
  if (!is.logical(shuffle) || length(shuffle) != 1 || is.na(shuffle)) usage_error("shuffle is TRUE or FALSE")
  list(shuffle = shuffle || !is.null(shuffle_seed),
       seed = if (is.null(shuffle_seed)) 0 else seed_number(shuffle_seed, "shuffle_seed"))
}
