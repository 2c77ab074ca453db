//===- TextTable.cpp - Aligned columns and numbers for people -------------===//

#include "tapestry/Support/TextTable.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/FormatVariadic.h"

using namespace tapestry;

void TextTable::print(llvm::raw_ostream &os) const {
  std::vector<size_t> widths(rows[0].size(), 0);
  for (const auto &row : rows)
    for (size_t c = 0; c < row.size(); ++c)
      widths[c] = std::max(widths[c], row[c].size());
  for (const auto &row : rows) {
    std::string line;
    for (size_t c = 0; c < row.size(); ++c) {
      std::string pad(widths[c] - row[c].size(), ' ');
      line += "  " + (c < textColumns ? row[c] + pad : pad + row[c]);
    }
    os << llvm::StringRef(line).rtrim() << "\n";
  }
}

std::string tapestry::bytesText(double bytes) {
  static const char *const units[] = {"B", "KiB", "MiB", "GiB", "TiB", "PiB"};
  unsigned unit = 0;
  while (bytes >= 1024 && unit + 1 < std::size(units)) {
    bytes /= 1024;
    ++unit;
  }
  return llvm::formatv(unit == 0 || bytes >= 100 ? "{0:f0} {1}" : "{0:f1} {1}",
                       bytes, units[unit])
      .str();
}

std::string tapestry::percentText(double ratio) {
  return llvm::formatv("{0:f1} %", 100 * ratio).str();
}
