//===- DiagnosticPrinter.cpp - What MLIR reports, for people --------------===//

#include "tapestry/Driver/DiagnosticPrinter.h"
#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/IR/Location.h"
#include "mlir/IR/MLIRContext.h"
#include "tapestry-rt/Status.h"
#include "tapestry/Driver/Status.h"
#include "llvm/ADT/SmallVector.h"

using namespace mlir;
using namespace tapestry;
using namespace tapestry::driver;

/// With their lines and carets some twenty lines.
static constexpr size_t mostNotes = 6;

DiagnosticPrinter::DiagnosticPrinter(MLIRContext *context, std::string program)
    : context(context), program(std::move(program)) {
  handler = context->getDiagEngine().registerHandler(
      [this](Diagnostic &diagnostic) { print(diagnostic); });
}

DiagnosticPrinter::~DiagnosticPrinter() {
  context->getDiagEngine().eraseHandler(handler);
}

void DiagnosticPrinter::print(const Diagnostic &diagnostic) {
  printOne(diagnostic);
  size_t left = mostNotes;
  for (const Diagnostic &note : diagnostic.getNotes()) {
    if (left-- == 0) {
      llvm::errs() << "note: the rest is not shown\n";
      break;
    }
    printOne(note);
  }
}

/// Line number `number` (from 1).
static llvm::StringRef lineOf(llvm::StringRef text, unsigned number) {
  while (--number > 0)
    text = text.split('\n').second;
  return text.split('\n').first;
}

void DiagnosticPrinter::printOne(const Diagnostic &message) {
  static constexpr const char *kinds[] = {"note", "warning", "error", "remark"};
  bool isError = message.getSeverity() == DiagnosticSeverity::Error;
  std::string said = rt::printableLines(message.str());
  auto at = message.getLocation()->findInstanceOf<FileLineColLoc>();
  // What the front end says of -D has no place in the file.
  bool inOptions = at && at.getLine() == 0;
  if (isError)
    ++(inOptions ? optionErrors : otherErrors);
  if (inOptions && isError)
    return printError(said);
  std::string place = at ? at.getFilename().str() : program;
  std::string lines;
  llvm::raw_string_ostream os(lines);
  os << rt::printable(place);
  if (at && !inOptions)
    os << ':' << at.getLine() << ':' << at.getColumn();
  os << ": " << kinds[unsigned(message.getSeverity())] << ": " << said;
  if (at && !inOptions && at.getColumn() > 0 && !text.empty() &&
      at.getFilename().getValue() == program)
    os << '\n' << lineWithCaret(lineOf(text, at.getLine()), at.getColumn() - 1);
  printMessage(llvm::StringRef(lines).rtrim('\n'));
}

std::string tapestry::driver::lineWithCaret(llvm::StringRef line,
                                            size_t column) {
  constexpr size_t widest = 160;
  line = line.rtrim("\r\n");
  column = std::min(column, line.size());
  llvm::StringRef before = line.take_front(column);
  llvm::StringRef after = line.drop_front(column);
  bool cutsBefore = line.size() > widest && before.size() > widest / 2;
  if (cutsBefore)
    before = before.take_back(widest / 2);
  bool cutsAfter = line.size() > widest && after.size() > widest / 2;
  if (cutsAfter)
    after = after.take_front(widest / 2);
  // Cut in the middle of a character, its bytes would be shown as escapes.
  auto continues = [](char byte) { return (byte & 0xc0) == 0x80; };
  if (cutsBefore)
    before = before.drop_while(continues);
  while (cutsAfter && !after.empty() && continues(line[column + after.size()]))
    after = after.drop_back();
  std::string shown =
      (cutsBefore ? "... " : "") + rt::printable(before.str(), 8 * widest);
  std::string result = shown + rt::printable(after.str(), 8 * widest) +
                       (cutsAfter ? " ..." : "");
  result += '\n';
  for (char byte : shown)
    if (!continues(byte))
      result += byte == '\t' ? '\t' : ' ';
  return result + "^\n";
}
