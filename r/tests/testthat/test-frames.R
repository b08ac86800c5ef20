test_that("a release has the columns of the table, and each record is like k - 1 others", {
  x <- people()
  out <- as.data.frame(grouped(x, k = 5))
  expect_identical(names(out), c("age_min", "age_max", "height_min", "height_max", "zip", "job", "born_min", "born_max",
                                 "disease"))
  expect_type(out$age_min, "integer")
  expect_type(out$height_max, "double")
  expect_type(out$zip, "character")
  expect_s3_class(out$job, "factor")
  expect_s3_class(out$born_min, "Date")
  expect_identical(out$disease, x$disease)
  expect_true(all(out$age_min <= x$age & x$age <= out$age_max))
  expect_true(all(out$born_min <= x$born & x$born <= out$born_max))
  sizes <- table(do.call(paste, out[names(out) != "disease"]))
  expect_gte(min(sizes), 5)
})

test_that("tibbles and data.tables come back as what they are, with the same values", {
  plain <- as.data.frame(grouped(k = 5))
  skip_if_not_installed("tibble")
  as_tibble <- as.data.frame(grouped(tibble::as_tibble(people()), k = 5))
  expect_s3_class(as_tibble, "tbl_df")
  expect_equal(as.data.frame(unclass(as_tibble), stringsAsFactors = FALSE), plain, ignore_attr = TRUE)
  skip_if_not_installed("data.table")
  dt <- data.table::as.data.table(people())
  rel <- grouped(dt, k = 5)
  data.table::set(dt, j = "disease", value = "none") # in place: the release must not follow
  out <- as.data.frame(rel)
  expect_s3_class(out, "data.table")
  expect_identical(out$disease, plain$disease)
  data.table::set(out, j = "disease", value = "none")
  expect_identical(as.data.frame(rel)$disease, plain$disease)
})

test_that("kept columns of every type come back as they were", {
  n <- 12
  time <- as.POSIXct("2024-03-31 01:59:59.123456", tz = "Europe/Berlin") + cumsum(rep(c(0.25, 1 / 3), n / 2))
  x <- data.frame(
    age = rep(c(20L, 40L), n / 2), flag = rep(c(TRUE, FALSE, NA), n / 3), count = c(NA, seq_len(n - 1)),
    share = c(NA, NaN, -Inf, 0.1 + seq_len(n - 3)), text = c(NA, "", "\u00e9\u00fc", rep("a,\"b\"\n", n - 3)),
    level = factor(rep(c("low", NA, "high"), n / 3), levels = c("low", "unused", "high"), ordered = TRUE),
    day = as.Date("1899-12-31") + c(NA, seq_len(n - 1)), time = c(as.POSIXct(NA), time[-1]),
    second = as.POSIXct("1960-01-01", tz = "UTC") + seq_len(n), wait = as.difftime(c(NA, 2:n), units = "hours")
  )
  attr(x$time, "tzone") <- "Europe/Berlin"
  x$large <- structure(rep(1, n), class = "integer64") # what bit64 makes: the bits of an int64
  x$local <- as.POSIXlt(x$time)
  out <- as.data.frame(kanonymise(x, quasi = "age", insensitive = setdiff(names(x), "age"), k = 2))
  for (name in setdiff(names(x), c("age", "level", "local"))) expect_identical(out[[name]], x[[name]], label = name)
  expect_identical(out$level, droplevels(x$level))
  expect_identical(out$local, x$time)
})

test_that("NA in quasi columns is a value that is missing", {
  x <- data.frame(age = c(20, NA, 22, 40, NA, 42), job = c("a", "a", NA, "b", "b", NA), kept = 1:6)
  out <- as.data.frame(kanonymise(x, quasi = c("age", "job"), insensitive = "kept", k = 2))
  expect_identical(out$kept, x$kept)
  classes <- table(do.call(paste, out[names(out) != "kept"]))
  expect_gte(min(classes), 2)
})

test_that("row names and levels that nobody has are not released", {
  x <- data.frame(age = c(1, 2, 3, 4), job = factor(rep("cook", 4), levels = c("cook", "spy")), row.names = letters[1:4])
  rel <- kanonymise(x, quasi = "age", insensitive = "job", k = 2)
  expect_identical(row.names(as.data.frame(rel)), as.character(1:4))
  expect_identical(levels(as.data.frame(rel)$job), "cook")
  expect_match(rel$warnings, "row names", all = FALSE)
})

test_that("other encodings are read as what they mean", {
  latin <- "Gr\xf6\xdfe"
  Encoding(latin) <- "latin1"
  x <- data.frame(age = 1:4, text = latin)
  out <- as.data.frame(kanonymise(x, quasi = "age", insensitive = "text", k = 2))
  expect_identical(out$text, rep(enc2utf8(latin), 4))
  x$text <- "\xff"
  Encoding(x$text) <- "bytes"
  expect_error(kanonymise(x, quasi = "age", insensitive = "text", k = 2), "text", class = "kanon_data")
})

test_that("columns that cannot be read are named", {
  x <- data.frame(age = 1:4)
  x$things <- list(1, 2, 3, 4)
  expect_error(kanonymise(x, quasi = "age", insensitive = "things", k = 2), "things", class = "kanon_data")
  x$things <- matrix(1:8, 4)
  expect_error(kanonymise(x, quasi = "age", insensitive = "things", k = 2), "things", class = "kanon_data")
  x$things <- complex(4)
  expect_error(kanonymise(x, quasi = "age", insensitive = "things", k = 2), "things", class = "kanon_data")
})

test_that("numeric forms", {
  x <- data.frame(age = c(20, 22, 40, 44))
  form <- function(how) as.data.frame(kanonymise(x, quasi = "age", k = 2, numeric = how))
  expect_identical(form("mean")$age, c(21, 21, 42, 42))
  expect_identical(as.character(form("interval")$age), c("[20..22]", "[20..22]", "[40..44]", "[40..44]"))
  expect_identical(form("columns"), data.frame(age_min = c(20, 20, 40, 40), age_max = c(22, 22, 44, 44)))
  expect_error(form("median"), class = "kanon_usage")
})

# nanoarrow is not in Debian: an external pointer of the same shape and class stands for its streams.
test_that("Arrow streams of nanoarrow come in and go out", {
  x <- people()
  stream <- .Call(kanon:::C_frame_stream, as.list(x), nrow(x))
  class(stream) <- "nanoarrow_array_stream"
  rel <- grouped(stream, k = 5)
  expect_identical(groups(rel), groups(grouped(x, k = 5)))
  expect_error(grouped(stream, k = 5), "read or released before", class = "kanon_usage")
  into <- release_stream(rel, into = .Call(kanon:::C_stream_new))
  rel_frame <- as.data.frame(rel)
  rm(rel)
  gc() # the stream outlives what it was made of
  expect_identical(as.list(rel_frame), .Call(kanon:::C_stream_frame, into, NULL))
  checked <- .Call(kanon:::C_frame_stream, as.list(rel_frame), nrow(rel_frame))
  class(checked) <- "nanoarrow_array_stream"
  found <- check_release(checked, quasi = c("age_min", "age_max"), insensitive = "disease", default_role = "quasi", k = 5)
  expect_true(found$holds)
})

test_that("texts with broken bytes are refused, not rewritten", {
  skip_if_not(l10n_info()[["UTF-8"]])
  x <- data.frame(age = 1:4, text = c("a", "b", "\xff", "<ff>"))
  expect_error(kanonymise(x, quasi = "age", insensitive = "text", k = 2), "text$", class = "kanon_data")
  x$text <- iconv("\u00e9", "UTF-8", "latin1")
  expect_identical(as.data.frame(kanonymise(x, quasi = "age", insensitive = "text", k = 2))$text, rep("\u00e9", 4))
})

test_that("ordered factors and labelled values are levels, and other types may be identifying", {
  levels <- c("none", "primary", "secondary", "tertiary")
  x <- data.frame(school = factor(rep(levels[1:3], each = 4), levels = levels, ordered = TRUE), ok = rep(c(TRUE, FALSE), 6))
  x$visits <- as.list(1:12)
  x$sex <- structure(rep(c(1, 2, 9), 4), labels = c(Male = 1, Female = 2, Refused = 9), na_values = 9,
                     class = c("haven_labelled_spss", "haven_labelled"))
  x$kept <- x$sex
  out <- as.data.frame(kanonymise(x, quasi = c("school", "ok", "sex"), insensitive = "kept", identifying = "visits", k = 12,
                                  algorithm = "mondrian"))
  expect_identical(names(out), c("school_min", "school_max", "ok", "sex_min", "sex_max", "kept"))
  expect_true(is.ordered(out$school_min))
  expect_identical(levels(out$school_max), levels)
  expect_identical(unique(as.character(out$school_min)), "none")
  expect_identical(unique(as.character(out$school_max)), "secondary")
  expect_type(out$ok, "logical")
  expect_true(all(is.na(out$ok)))
  expect_true(all(is.na(out$sex_min))) # a group with missing values shows nothing
  expect_identical(attr(out$sex_min, "labels"), attr(x$sex, "labels"))
  expect_identical(out$kept, x$kept)
  expect_error(kanonymise(x, quasi = "school", insensitive = c("visits", "ok", "sex", "kept"), k = 12), "type list",
               class = "kanon_data")
  y <- data.frame(zip = rep(c("79098", "79100"), 6), school = as.character(x$school))
  out <- as.data.frame(kanonymise(y, quasi = c("zip", "school"), orders = list(school = levels), k = 12))
  expect_identical(names(out), c("zip", "school_min", "school_max"))
})

test_that("an identifying column may hold anything", {
  x <- data.frame(age = 1:12)
  x$matrix <- matrix(1:24, 12)
  x$frame <- data.frame(a = 1:12)
  x$list <- rep(list(mean), 12)
  x$broken <- rep("a\xe9", 12)
  Encoding(x$broken) <- "UTF-8"
  x$bytes <- rep("a\xe9", 12)
  Encoding(x$bytes) <- "bytes"
  odd <- setdiff(names(x), "age")
  expect_identical(names(kanonymise(x, quasi = "age", identifying = odd, k = 3)), c("age_min", "age_max"))
  expect_identical(names(kanonymise(x, quasi = "age", default_role = "identifying", k = 3)), c("age_min", "age_max"))
  for (name in odd) {
    expect_error(kanonymise(x, quasi = "age", insensitive = name, default_role = "identifying", k = 3), name, class = "kanon_data")
    expect_error(kanonymise(x[c("age", name)], quasi = "age", identifying = name, entity = name, k = 3), name, class = "kanon_data")
  }
})

test_that("what contradicts itself or is of a wrong kind is an error that says so", {
  x <- data.frame(age = rep(20:29, 4), zip = rep(c("a", "b"), 20))
  refused <- function(words, ...) expect_error(kanonymise(x, quasi = c("age", "zip"), ..., k = 4), words, class = "kanon_usage", fixed = TRUE)
  refused("column age has a mask and bands", masks = c(age = "left"), bands = c(age = 5))
  refused("column zip has a mask and a taxonomy", masks = c(zip = "left"), taxonomies = list(zip = list(A = c("a", "b"))))
  refused("column zip has a mask, and its type is integer", masks = c(zip = "left"), types = c(zip = "integer"))
  refused("column zip has an order, and its type is categorical", orders = list(zip = c("a", "b")), types = c(zip = "categorical"))
  refused("column 'zip': an order without levels", orders = list(zip = character()))
  refused("masks names zip twice", masks = c(zip = "left", zip = "right"))
  refused("masks = c(column = value)", masks = "zip")
  refused("settings = c(name = value)", settings = 1)
  refused("shuffle is TRUE or FALSE", shuffle = 7)
  refused("shuffle is TRUE or FALSE", shuffle = NA)
  refused("threads must be a whole number", threads = 1.5)
  refused("blocks must be one number", blocks = "x")
  refused("algorithm must be one text", algorithm = 5)
  expect_no_error(kanonymise(x, quasi = c("age", "zip"), bands = c(age = 5), top = c(age = 25), masks = c(zip = "left"), k = 4))
})
