//===- TextTable.h - Aligned columns and numbers for people -----*- C++ -*-===//

#ifndef TAPESTRY_SUPPORT_TEXTTABLE_H
#define TAPESTRY_SUPPORT_TEXTTABLE_H

#include "llvm/Support/raw_ostream.h"
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

/// "12.5 MiB".
std::string bytesText(double bytes);
/// "0.2 %", of a ratio minus one.
std::string percentText(double ratio);

} // namespace tapestry

#endif // TAPESTRY_SUPPORT_TEXTTABLE_H
