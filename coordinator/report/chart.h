// Charts of the samples of one metric, as HTML with inline SVG that needs no script and nothing
// from outside.
//
// Lengths across are percentages of the drawing's width, so text stays as large as it is on a
// narrow page. Marks that fall on the same place are drawn once; the page grows with the number of
// rows and not with that of the samples.
#pragma once

#include <string>
#include <vector>

#include "coordinator/report/report_model.h"

namespace fleetmark::coordinator::report {

// Where an axis ends and its marks, in shown units, from zero (or below it where a value is).
struct Axis {
  double low = 0, high = 1;
  std::vector<double> ticks;  // ascending, round numbers, some 4 to 8
};
// Over all values; both 0 makes [0, 1].
Axis axisOver(double least, double greatest);

// A strip of dots for each step, with the median as a bar and its 95 % rank interval as a whisker;
// and, folded away, the samples in the order in which they were taken. Empty where no sample of the
// column has a value.
std::string chartHtml(const Section& section, std::size_t column);

}  // namespace fleetmark::coordinator::report
