test_that("a column without a role is withheld with a warning that lists it, and an error where that is asked", {
  expect_warning(rel <- kanonymise(people(), quasi = c("age", "zip"), k = 3), "so withheld: id, height, job, born, disease")
  expect_identical(names(as.data.frame(rel)), c("age_min", "age_max", "zip"))
  failed <- tryCatch(kanonymise(people(), quasi = c("age", "zip"), k = 3, strict = TRUE), error = identity)
  expect_s3_class(failed, c("kanon_data", "kanon_error", "error"), exact = FALSE)
  for (name in c("id", "height", "job", "born", "disease")) expect_match(failed$reason, name)
  expect_true(nzchar(failed$hint))
  expect_match(conditionMessage(failed), failed$hint, fixed = TRUE)
})

test_that("failures have the class of their status, and no value of the table in the message", {
  x <- people()
  expect_error(grouped(x, k = 61), class = "kanon_infeasible")
  expect_error(grouped(x, k = 2, algorithm = "magic"), class = "kanon_usage")
  expect_error(grouped(x, k = -1), class = "kanon_usage")
  expect_error(grouped(x, k = 2.5), class = "kanon_usage")
  expect_error(grouped(x, k = "2"), class = "kanon_usage")
  expect_error(kanonymise(x, quasi = "age", sensitive = "age", k = 2), "age", class = "kanon_usage")
  expect_error(kanonymise(x, "age", k = 2, quasi = "zip"), class = "kanon_usage")
  expect_error(kanonymise(x, quasy = "age", k = 2), "quasy", class = "kanon_usage")
  expect_error(report(grouped(x, k = 2), "/no/such/folder/r.html"), class = "kanon_io")
  secret <- data.frame(age = c("1", "sesame"))
  failed <- tryCatch(kanonymise(secret, quasi = "age", types = c(age = "integer"), k = 2), kanon_data = identity)
  expect_false(grepl("sesame", conditionMessage(failed)))
})

test_that("every status has its class", {
  for (status in seq_along(kanon:::status_classes)) {
    failed <- tryCatch(kanon:::raise_failure(status, "why", "what next", "topic"), kanon_error = identity)
    expect_identical(class(failed)[1], kanon:::status_classes[status])
    expect_identical(failed[c("reason", "hint", "topic")], list(reason = "why", hint = "what next", topic = "topic"))
  }
})

test_that("formulas name columns", {
  x <- people()[c("age", "zip", "disease")]
  expected <- groups(kanonymise(x, quasi = c("age", "zip"), sensitive = "disease", k = 4))
  expect_identical(groups(kanonymise(disease ~ age + zip, data = x, k = 4)), expected)
  expect_identical(groups(kanonymise(disease ~ ., data = x, k = 4)), expected)
  expect_identical(groups(kanonymise(~ age + zip, data = x, insensitive = "disease", k = 4)), expected)
  expect_error(kanonymise(disease ~ age, k = 4), class = "kanon_usage")
  expect_error(kanonymise(disease ~ . - zip, data = x, k = 4), class = "kanon_usage")
  expect_error(kanonymise(disease ~ log(age) + zip, data = x, k = 4), class = "kanon_usage")
})

# sdcMicro is not in Debian: a class with slots of the same names stands for its objects.
test_that("objects of sdcMicro name columns", {
  made <- methods::setClass("sdcMicroObj", where = environment(), representation = list(
    origData = "data.frame", keyVars = "ANY", numVars = "ANY", sensibleVar = "ANY", hhId = "ANY", weightVar = "ANY"))
  x <- people()[c("id", "age", "zip", "disease")]
  x$house <- rep(1:30, 2)
  object <- made(origData = x, keyVars = 3L, numVars = 2L, sensibleVar = 4L, hhId = 5L)
  expect_error(kanonymise(object, k = 3, strict = TRUE), "id", class = "kanon_data")
  rel <- kanonymise(object, k = 3, identifying = "id")
  expected <- kanonymise(x, quasi = c("zip", "age"), sensitive = "disease", identifying = c("house", "id"),
                         entity = "house", k = 3)
  expect_identical(groups(rel), groups(expected))
  expect_identical(names(as.data.frame(rel)), c("age_min", "age_max", "zip", "disease"))
  houses <- tapply(x$house, groups(rel), function(house) length(unique(house)))
  expect_gte(min(houses), 3)
})

test_that("taxonomies are lists, tables or files", {
  x <- data.frame(job = c("nurse", "surgeon", "cook", "waiter", "nurse", "cook"))
  tree <- list(any = list(health = c("nurse", "surgeon"), kitchen = c("cook", "waiter")))
  table <- data.frame(leaf = c("nurse", "surgeon", "cook", "waiter"), middle = rep(c("health", "kitchen"), each = 2),
                      root = "any")
  file <- tempfile(fileext = ".csv")
  writeLines(c("nurse;health;any", "surgeon;health;any", "cook;kitchen;any", "waiter;kitchen;any"), file)
  shown <- lapply(list(tree, table, file), function(how) {
    as.data.frame(kanonymise(x, quasi = "job", taxonomies = list(job = how), k = 3))$job
  })
  expect_identical(shown[[1]], ifelse(x$job %in% c("nurse", "surgeon"), "health", "kitchen"))
  expect_identical(shown[[2]], shown[[1]])
  expect_identical(shown[[3]], shown[[1]])
})

test_that("bands, constraints, suppression and settings arrive", {
  x <- people()
  rel <- kanonymise(x["age"], quasi = "age", bands = list(age = 10), top = c(age = 80), k = 3)
  cells <- strsplit(rawToChar(write_release(rel, numeric = "columns")), "\n")[[1]][-1]
  expect_true(all(grepl("^[0-9]+0,([0-9]+9)?$", cells)))
  shown <- as.data.frame(rel)
  expect_true(all(shown$age_min %% 10 == 0))
  expect_true(all(is.na(shown$age_max) | shown$age_max %% 10 == 9))
  rel <- grouped(x, k = 2, constraints = list(list(model = "distinct-l-diversity", attribute = "disease", l = 3)))
  expect_gte(min(tapply(x$disease, groups(rel), function(d) length(unique(d)))), 3)
  rel <- grouped(x, k = 4, suppress = 0.1, algorithm = "kmember")
  expect_lte(rel$suppressed, 6)
  expect_identical(sum(groups(rel) == 0), as.integer(rel$suppressed))
  expect_identical(nrow(as.data.frame(rel)), nrow(x) - as.integer(rel$suppressed))
  expect_identical(nrow(as.data.frame(grouped(x, k = 4, suppress = 0.1, suppressed = "keep"))), nrow(x))
  expect_error(grouped(x, k = 4, suppressed = "perhaps"), class = "kanon_usage")
  expect_error(grouped(x, k = 3, algorithm = "mondrian", settings = c(ties = "maybe")), class = "kanon_usage")
  expect_s3_class(grouped(x, k = 3, algorithm = "mondrian", settings = c(ties = "relaxed")), "kanon_release")
  expect_identical(kanon:::setting_text(c(0.1, 1e6, 123456789)), "0.1,1000000,123456789")
  expect_identical(kanon:::setting_text(TRUE), "true")
})

test_that("check_release finds what a release is, and holds is honest", {
  x <- people()
  rel <- grouped(x, k = 5)
  good <- check_release(as.data.frame(rel), quasi = c("age_min", "age_max", "height_min", "height_max", "zip", "job",
                                                      "born_min", "born_max"), sensitive = "disease", k = 5)
  expect_true(good$holds)
  expect_equal(good$k, rel$k)
  bad <- check_release(x, quasi = c("age", "zip"), sensitive = "disease", identifying = "id",
                       insensitive = c("height", "job", "born"), k = 5)
  expect_false(bad$holds)
  expect_gt(length(bad$violated), 0)
  expect_gt(length(bad$warnings), 0)
  expect_output(print(bad), "does not hold")
})

test_that("check_release counts what a reader sees", {
  released <- data.frame(age = c("1", "1"), ssn = c("7", "8"))
  found <- check_release(released, quasi = "age", k = 2)
  expect_false(found$holds)
  expect_match(found$violated, "without a role: ssn")
  expect_true(check_release(released, quasi = "age", insensitive = "ssn", k = 2)$holds)
  jobs <- data.frame(job = c("?", "none"))
  expect_equal(check_release(jobs, quasi = "job", missing = c("?", "none"), k = 2)$k, 1)
  expect_equal(check_release(jobs, quasi = "job", same = c("?", "none"), k = 2)$k, 2)
})

test_that("check_release compares with the original, earlier releases and a population", {
  released <- data.frame(id = c("1", "2", "3"), age = c("[20..29]", "[20..29]", "*"), ill = c("flu", "cold", "flu"))
  patients <- data.frame(id = c("3", "1", "2"), age = c(35, 23, 28), ill = c("flu", "flu", "cold"))
  check <- function(...) check_release(released, quasi = "age", sensitive = "ill", insensitive = "id", ...)
  found <- check(original = patients, key = "id")
  expect_true(found$holds)
  expect_equal(found$findings$name[1], "compared")
  patients$age[3] <- 41
  expect_match(check(original = patients, key = "id")$violated, "age: 1 cell does not cover the original")
  both <- check(earlier = list(released, released), key = "id")
  expect_equal(both$compared$value[both$compared$name == "joint_k"], 1)
  expect_equal(check(population = data.frame(age = c(20, 25, 30)))$compared$value[1], 0.5)
  expect_error(check(original = patients, key = "nr"), "no such column")
})

test_that("summary, plots, reports, bound and trade-off", {
  x <- people()
  rel <- grouped(x, k = 5)
  expect_output(print(rel), "60 records")
  expect_output(print(summary(rel)), "information_loss")
  page <- tempfile(fileext = ".html")
  expect_identical(report(rel, page), page)
  expect_match(readLines(page, n = 1), "html", ignore.case = TRUE)
  grDevices::pdf(NULL)
  on.exit(grDevices::dev.off())
  plot(rel)
  plot(rel, what = "loss")
  curve <- tradeoff(x[c("age", "zip")], quasi = c("age", "zip"), k = c(2, 5, 100))
  expect_identical(curve$k, c(2L, 5L, 100L))
  expect_identical(curve$result[3], "infeasible")
  plot(curve)
  low <- bound(x[c("age", "zip")], quasi = c("age", "zip"), k = 5)
  expect_lte(low$lower_bound, curve$information_loss[2] + 1e-9)
  expect_output(print(low), "loses less")
})

test_that("two threads under checks", {
  old <- Sys.getenv("_R_CHECK_LIMIT_CORES_", NA)
  on.exit(if (is.na(old)) Sys.unsetenv("_R_CHECK_LIMIT_CORES_") else Sys.setenv("_R_CHECK_LIMIT_CORES_" = old))
  Sys.setenv("_R_CHECK_LIMIT_CORES_" = "TRUE")
  expect_lte(kanon:::thread_count(), 2)
  expect_identical(kanon:::thread_count(8L), 2L)
  Sys.unsetenv("_R_CHECK_LIMIT_CORES_")
  expect_identical(kanon:::thread_count(8L), 8L)
})

test_that("warnings about privacy are conditions of their own", {
  people <- data.frame(age = 20:59, mail = sprintf("p%d@firm.example", 1:40))
  expect_warning(kanonymise(people, quasi = "age", insensitive = "mail", k = 5), class = "kanon_privacy_warning")
})

test_that("groups with one sensitive value are a privacy warning", {
  people <- data.frame(age = rep(c(20L, 21L, 60L, 61L), 20), d = rep(c("hiv", "hiv", "flu", "flu"), 20))
  text <- "100 % of the records are in groups with one value of d; consider distinct-l-diversity"
  expect_warning(rel <- kanonymise(people, quasi = "age", sensitive = "d", k = 10), text, class = "kanon_privacy_warning")
  expect_identical(rel$warnings, text)
  m <- measures(rel)
  expect_equal(m$value[m$name == "homogeneous" & m$column %in% "d"], 1)
})

test_that("groups that are there already become better", {
  x <- people()
  said <- list(quasi = c("age", "zip"), masks = c(zip = "right"), default_role = "identifying")
  lost <- function(rel) with(measures(rel), value[name == "information_loss" & is.na(column)])
  again <- function(...) do.call(improve, c(list(x, ...), said))
  start <- do.call(kanonymise, c(list(x, k = 4, algorithm = "mondrian"), said))
  before <- lost(start)
  better <- again(groups = groups(start), k = 4)
  expect_lt(lost(better), before)
  expect_identical(groups(again(groups = start, k = 4, threads = 2)), groups(better))
  place <- tempfile(fileext = ".csv")
  write_release(start, place)
  expect_lt(lost(again(release = place, k = 4)), before)
  expect_error(again(groups = start, k = 30), class = "kanon_infeasible")
  expect_gte(again(groups = start, k = 30, repair = TRUE)$k, 30)
  for (wrong in list(NULL, 1:3, rep(0.5, nrow(x)), rep(NA_real_, nrow(x)), rep("a", nrow(x)))) {
    expect_error(again(groups = wrong, k = 4), class = "kanon_usage")
  }
})

test_that("a release acts as the table that it holds", {
  x <- data.frame(age = c(20, 22, 40, 44), k = 1:4, sex = factor(c("f", "m", "f", "f")))
  rel <- kanonymise(x, quasi = c("age", "sex"), insensitive = "k", k = 2)
  out <- as.data.frame(rel)
  expect_identical(names(rel), names(out))
  expect_identical(dim(rel), dim(out))
  expect_identical(c(nrow(rel), ncol(rel), length(rel)), c(4L, 4L, 4L))
  expect_identical(rel$age_min, out$age_min)
  expect_identical(rel[["age_max"]], out$age_max)
  expect_identical(rel[2, ], out[2, ])
  expect_identical(rel["sex"], out["sex"])
  expect_identical(head(rel, 2), head(out, 2))
  expect_identical(colnames(rel), colnames(out))
  expect_identical(rownames(rel), rownames(out))
  column <- names(out)[[1]]
  expect_identical(eval(call("with", quote(rel), as.name(column))), out[[column]])
  expect_identical(subset(rel, seq_len(nrow(rel)) <= 3, select = 1), out[1:3, 1, drop = FALSE])
  expect_identical(tail(rel, 1), tail(out, 1))
  expect_identical(rel$k, 1:4) # a column comes before a field
  expect_equal(rel$n_groups, 2)
  expect_null(rel$age)
  expect_output(str(rel), "2 groups")
  expect_identical(as.data.frame(improve(x, rel, quasi = c("age", "sex"), insensitive = "k", k = 2, memory = 2^30)), out)
})

test_that("seeds are whole numbers that every host has, and one alone shuffles", {
  people <- data.frame(age = c(20, 21, 40, 41, 20, 21), ill = c("a", "b", "a", "b", "c", "d"))
  act <- function(...) kanonymise(people, quasi = "age", sensitive = "ill", k = 2, ...)
  for (seed in list(-1, 2^53, 1.5, "3", NA_real_)) {
    expect_error(act(seed = seed), "seed must be a whole number from 0 to 9007199254740991")
    expect_error(act(shuffle_seed = seed), "shuffle_seed must be a whole number from 0 to 9007199254740991")
  }
  plain <- act()
  seeded <- act(shuffle_seed = 5, seed = 2^53 - 1)
  expect_identical(write_release(plain, shuffle_seed = 5), write_release(seeded, shuffle_seed = 5))
  expect_identical(write_release(plain, shuffle_seed = 0), write_release(plain, shuffle = TRUE))
  expect_false(identical(write_release(plain), write_release(plain, shuffle = TRUE)))
})

test_that("unknown arguments name the function and the nearest word", {
  people <- data.frame(age = c(20, 21, 40, 41))
  expect_error(kanonymise(people, quaasi = "age", k = 2),
               "kanonymise() has no argument 'quaasi'; did you mean 'quasi'?", fixed = TRUE)
  expect_error(improve(people, groups = c(1, 1, 2, 2), quasi = "age", k = 2, sedd = 1),
               "improve() has no argument 'sedd'; did you mean 'seed'?", fixed = TRUE)
  expect_error(check_release(people, quaasi = "age"), "check_release() has no argument 'quaasi'", fixed = TRUE)
  expect_error(bound(people, quaasi = "age"), "bound() has no argument 'quaasi'", fixed = TRUE)
  expect_error(tradeoff(people, quaasi = "age"), "tradeoff() has no argument 'quaasi'", fixed = TRUE)
})

test_that("missing adds to the empty text", {
  cells <- data.frame(age = rep(c("20", "", "?", "30"), 3), ill = "x")
  act <- function(...) kanonymise(cells, quasi = "age", types = c(age = "integer"), sensitive = "ill", k = 2, missing = "?", ...)
  expect_s3_class(act(), "kanon_release")
  expect_error(act(empty = "value"), "age")
  expect_error(act(empty = "no"), "empty: there is no 'no'")
})

test_that("dates and numbers in columns of text are read as they are said to be written", {
  x <- data.frame(born = c("31.01.1980", "01.02.1980", "03.02.1990", "04.02.1990"), price = c("1.000,5", "1.200,5", "3,5", "4,5"))
  said <- list(x, quasi = c("born", "price"), types = c(born = "date", price = "decimal"), formats = c(born = "%d.%m.%Y"), k = 2)
  for (marks in list(list(decimal = ",", thousands = "."), list(decimal = c(price = ","), thousands = c(price = ".")))) {
    out <- as.data.frame(do.call(kanonymise, c(said, marks)))
    expect_identical(sort(unique(out$price_min)), c(3.5, 1000.5))
    expect_identical(sort(unique(out$born_max)), as.Date(c("1980-02-01", "1990-02-04")))
  }
  expect_error(do.call(kanonymise, c(said, list(decimal = ", "))), "one character", class = "kanon_usage")
})

test_that("a refinement can be chosen for a curve and for a state", {
  x <- data.frame(id = 1:40, age = rep(20:59))
  expect_error(tradeoff(x, quasi = "age", identifying = "id", k = 2, refine = "magic"), "magic", class = "kanon_usage")
  skip_if_not(kanon_about()$states)
  path <- tempfile(fileext = ".kanon")
  state <- kanon_state(path, kanonymise(x, quasi = "age", identifying = "id", key = "id", k = 2))
  expect_error(state$improve(refine = "magic"), "magic", class = "kanon_usage")
  expect_identical(state$improve(refine = "il-optimization")$records, 40)
  close(state)
})

test_that("a word that an argument does not know is an error with those that it knows", {
  x <- people(20)[c("zip", "age")]
  wrong <- function(told, ...) {
    failed <- tryCatch(kanonymise(x, quasi = c("zip", "age"), k = 2, ...), kanon_usage = identity)
    expect_identical(failed$reason, told)
    expect_match(failed$hint, "^choose one of: ")
  }
  wrong("recode: there is no 'cell'", recode = "cell")
  wrong("effort: there is no 'more'", effort = "more")
  wrong("numeric: there is no 'text'", numeric = "text")
  wrong("suppressed: there is no 'yes'", suppressed = "yes")
  wrong("default_role: there is no 'key'", default_role = "key")
  wrong("masks: zip: there is no 'up'", masks = c(zip = "up"))
  wrong("types: age: there is no 'number'", types = c(age = "number"))
})
