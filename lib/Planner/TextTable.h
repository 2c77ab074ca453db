//===- TextTable.h - Aligned columns and numbers for people -----*- C++ -*-===//

#ifndef TAPESTRY_LIB_PLANNER_TEXTTABLE_H
#define TAPESTRY_LIB_PLANNER_TEXTTABLE_H

#include "tapestry/Planner/Plan.h"
#include <string>
#include <vector>

namespace tapestry {

/// Rows of cells; the first columns are text, the others numbers.
class TextTable {
public:
  TextTable(std::vector<std::string> header, unsigned textColumns)
      : textColumns(textColumns) {
    rows.push_back(std::move(header));
  }
  void add(std::vector<std::string> row) { rows.push_back(std::move(row)); }
  bool empty() const { return rows.size() == 1; }
  void print(llvm::raw_ostream &os) const;

private:
  std::vector<std::vector<std::string>> rows;
  unsigned textColumns;
};

/// A cost without its unit: seconds with six digits; elements whole, or with
/// two digits of a fraction.
std::string costText(const Plan &plan, double cost);
/// The same with a sign: what something costs more.
std::string extraCostText(const Plan &plan, double cost);
/// "elements" or "seconds".
llvm::StringRef costUnit(const Plan &plan);
/// "i=4 k=2".
std::string partsText(const PlanVertex &vertex, llvm::ArrayRef<int64_t> parts);
/// "i:d.0,d.1 k:d.2"; "as read" for an input without a partition.
std::string axesText(const PlanVertex &vertex, const DeviceGrid &grid,
                     const VertexPlacement &placed);
/// "12.5 MiB".
std::string bytesText(double bytes);
/// "0.2 %", of a ratio minus one.
std::string percentText(double ratio);

} // namespace tapestry

#endif // TAPESTRY_LIB_PLANNER_TEXTTABLE_H
