# Expected values of common/stats from R, read from cases.tsv beside this file.
#
#   Rscript oracle.R > r.tsv
#
# Base R alone. wilcox.test has no exact p for ties; such cases are left to oracle.py.
here <- dirname(sub("^--file=", "", grep("^--file=", commandArgs(FALSE), value = TRUE)[1]))
say <- function(name, key, value) cat(name, "\t", key, "\t", sprintf("%.17g", value), "\n", sep = "")
values <- function(text) as.numeric(strsplit(text, " ")[[1]])

cat("-\tR\t", as.character(getRversion()), "\n", sep = "")
for (line in readLines(file.path(here, "cases.tsv"))) {
  parts <- strsplit(line, "\t")[[1]]
  a <- values(parts[2])
  b <- values(parts[3])
  ties <- anyDuplicated(c(a, b)) > 0
  exact <- min(length(a), length(b)) * (length(a) + length(b)) <= 5000
  if (ties && exact) next
  # Warns where so few values can't reach 95 %.
  test <- suppressWarnings(
    wilcox.test(log(b), log(a), exact = exact, conf.int = exact, conf.level = 0.95))
  say(parts[1], "u", unname(test$statistic))
  say(parts[1], "p", test$p.value)
  if (!exact) next
  say(parts[1], "ratio", exp(unname(test$estimate)))
  say(parts[1], "low", exp(test$conf.int[1]))
  say(parts[1], "high", exp(test$conf.int[2]))
  n <- length(a)
  m <- length(b)
  below <- max(qwilcox(0.025, n, m), 1) - 1
  say(parts[1], "confidence", 1 - 2 * pwilcox(below, n, m))
}
p <- c(0.01, 0.04, 0.03, 0.005, 0.2, 0.03, 1)
adjusted <- p.adjust(p, "holm")
for (i in seq_along(p)) say(paste("holm", sprintf("%.17g", p[i])), paste0("adjusted", i), adjusted[i])
for (z in c(-3, -0.5, 0, 1.25, 4, 8)) say(sprintf("normal %g", z), "tail", pnorm(z, lower.tail = FALSE))
for (tail in c(0.4, 0.05, 0.025, 0.005, 1e-9)) {
  say(sprintf("quantile %.17g", tail), "z", qnorm(tail, lower.tail = FALSE))
}
