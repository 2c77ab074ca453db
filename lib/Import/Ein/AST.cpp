//===- AST.cpp - Syntax tree of a .ein file -------------------------------===//

#include "tapestry/Import/Ein/AST.h"

using namespace tapestry::ein;
using namespace tapestry::ein::ast;

llvm::StringRef ast::spelling(BinaryOp op) {
  static constexpr llvm::StringLiteral words[] = {
      "+", "-",  "*",  "/",  "//", "%",  "<<", ">>", "&",  "^",
      "|", "**", "==", "!=", "<",  "<=", ">",  ">=", "&&", "||"};
  static_assert(std::size(words) == static_cast<unsigned>(BinaryOp::Or) + 1);
  return words[static_cast<unsigned>(op)];
}

bool ast::isComparison(BinaryOp op) {
  return op >= BinaryOp::Eq && op <= BinaryOp::Ge;
}

bool ast::isBitwise(BinaryOp op) {
  return op >= BinaryOp::Shl && op <= BinaryOp::BitOr;
}

std::string ast::excerpt(llvm::SMRange range) {
  constexpr size_t longest = 40;
  if (!range.isValid())
    return "...";
  llvm::StringRef text(range.Start.getPointer(),
                       range.End.getPointer() - range.Start.getPointer());
  if (text.empty() || text.size() > longest || text.contains('\n'))
    return "...";
  return text.str();
}
