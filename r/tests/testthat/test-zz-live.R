# The last file: everything that the tests made is gone when it was collected.
test_that("no object of the library is alive", {
  rel <- grouped(k = 5)
  expect_gt(kanon_live(), 0)
  rm(rel)
  for (i in 1:3) gc()
  expect_identical(kanon_live(), 0)
})
