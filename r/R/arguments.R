# Made from the table of options by scripts/make-hosts; do not edit.

#' What the functions are told
#'
#' The columns of a table, what is asked of the groups, and how the work is done. Each function has those of them
#' that mean something to it: columns and requirements stand for `...` where it has no other use.
#'
#' @param k How many records at least are alike, or persons, if there is an `entity`; 0: what the schema says.
#' @param quasi Names of columns that are quasi-identifiers, such as `c("age", "zip")`: they are generalised.
#' @param sensitive These columns are sensitive: they are released as they are, and protected by the groups.
#' @param identifying These columns are identifying: they are never released.
#' @param insensitive These columns are released as they are.
#' @param schema The path of a schema file (YAML), its text, or what [propose_schema()] gave. What other
#'   arguments say wins over it.
#' @param default_role The role of columns that have none: `"quasi"`, `"sensitive"`, `"identifying"` or
#'   `"insensitive"`; without it they are withheld, with a warning.
#' @param taxonomies `list(job = "job.csv")`: the tree of categories of a column: the path of a file, a nested
#'   list (`list(any = list(viral = c("HIV", "flu"), cancer = NULL))`), or a data frame with the path from the
#'   leaf to the root in each row, as [build_taxonomy()] makes it.
#' @param bands `list(age = 5)`: released intervals of a column end only at these bands: of this width, with
#'   edges such as `c(0, 18, 65)`, or of dates `"week"`, `"month"`, `"quarter"`, `"year"` or `"decade"`.
#' @param top `c(age = 90)`: all numbers of a column from this one on are one band.
#' @param bottom `c(income = 1000)`: all numbers of a column up to this one are one band.
#' @param masks `c(zip = "right")`: generalise a column by masking one character per level, from the right or
#'   the left.
#' @param weights `c(age = 2)`: how much the loss in a column counts.
#' @param permute The values of these columns stay in their groups, but change rows there: nobody sees whose
#'   value it is.
#' @param ends `c(age = "drawn")`: drawn: the ends of released intervals of a column move outwards at random,
#'   so that they are nobody's value with more than chance.
#' @param types `c(age = "integer")`: the values of a column are of this type: integer, decimal, date,
#'   categorical or ordinal.
#' @param orders `list(school = c("none", "primary", "secondary"))`: the levels of an ordinal column, from the
#'   lowest to the highest. Ordered factors need none.
#' @param formats `c(born = "%d.%m.%Y")`: how the dates of a column of text are written.
#' @param missing Texts that mean that there is no value, in addition to the empty text; `NA` always does.
#' @param empty `"value"`: the empty text is a value like others; `"missing"`, the default: it means that
#'   there is no value.
#' @param decimal The decimal separator of columns of text: `","` for all, or by column `c(price = ",")`; else
#'   it is detected.
#' @param thousands The thousands separator, likewise.
#' @param same Texts that are one cell, written in two ways: `c("?", "NA")`, or a list of such vectors.
#' @param algorithm How records are grouped: see [kanon_catalogue()].
#' @param settings Settings of the algorithm: `c(ties = "relaxed")`.
#' @param constraints Constraints on every group in addition to k, as texts, such as
#'   `"model=distinct-l-diversity,attribute=disease,l=3"`, or as lists: `list(model = "distinct-l-diversity",
#'   attribute = "disease", l = 3)`. [kanon_catalogue()] lists the models.
#' @param entity The column that says whose record it is: groups hold k persons, not k records.
#' @param entity_together All records of an entity are in one group.
#' @param suppress Suppress up to this share of the records if that lowers the loss, such as 0.01.
#' @param suppressed `"drop"`, the default, leaves suppressed records out of the release; `"keep"` releases
#'   them with `NA` in every quasi column, if they are at least k and satisfy every constraint.
#' @param singled_out Write no release of which more than this share of the rows is one person's by the
#'   quasi-identifiers and all columns that are released as they are; a check of one fails.
#' @param key The columns that name a record in a [kanon_state()]; they are never released.
#' @param original The table that RELEASE was made of: each record is compared with its row, and persons are
#'   counted.
#' @param earlier A release before this one, by any tool: records that are in the same class in each of them
#'   must be k.
#' @param refine The refinement that runs after grouping: see [kanon_catalogue()].
#' @param effort Time to spend on lowering the loss, with the algorithm auto or the refinement search:
#'   `"fast"` (under a second), `"balanced"` (seconds, the default) or `"best"` (minutes).
#' @param refine_settings Settings of the refinement: `c(moves = 100000)`, or `c("time-limit" = 60)`.
#' @param recode Recode each group separately (record), or each value the same way throughout the release
#'   (attribute), which loses more.
#' @param blocks Split a very large table into blocks of at least so many records; 0: only where that is
#'   needed; -1: never.
#' @param memory The bytes that may be used; 0: any number.
#' @param seed A whole number from 0 to 2^53 - 1 for all random choices; the same seed gives the same groups.
#' @param threads How many threads are used; half of the processors by default. The result does not depend on
#'   it.
#' @param numeric How numbers and dates are released: `"columns"` makes two columns `NAME_min` and `NAME_max`,
#'   `"interval"` one of texts such as `[20..29]`, `"mean"` the mean of the group.
#' @param shuffle Release the records in the order of a hash of their released cells, which tells nothing
#'   about that of the table.
#' @param shuffle_seed The number that names the hash; where it is given, the release is shuffled.
#' @param strict Whether a column without a role is an error; else it is withheld, with a warning.
#' @param progress Show how far the work is, on standard error.
#' @name arguments
NULL

# The words of those that take one of several.
option_words <- list(
  default_role = c("quasi", "sensitive", "identifying", "insensitive"),
  effort = c("fast", "balanced", "best"),
  empty = c("missing", "value"),
  ends = c("exact", "drawn"),
  mask = c("right", "left"),
  masks = c("right", "left"),
  numeric = c("columns", "interval", "mean"),
  recode = c("record", "attribute"),
  suppressed = c("drop", "keep"),
  types = c("integer", "decimal", "date", "categorical", "ordinal")
)
