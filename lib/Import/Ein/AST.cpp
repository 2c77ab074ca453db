//===- AST.cpp - Syntax tree of a .ein file -------------------------------===//

#include "tapestry/Import/Ein/AST.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallString.h"
#include "llvm/ADT/Twine.h"
#include "llvm/Support/ErrorHandling.h"

using namespace tapestry::ein;
using namespace tapestry::ein::ast;

llvm::StringRef ast::spelling(BinaryOp op) {
  switch (op) {
  case BinaryOp::Add:
    return "+";
  case BinaryOp::Sub:
    return "-";
  case BinaryOp::Mul:
    return "*";
  case BinaryOp::Div:
    return "/";
  case BinaryOp::Pow:
    return "**";
  case BinaryOp::Eq:
    return "==";
  case BinaryOp::Ne:
    return "!=";
  case BinaryOp::Lt:
    return "<";
  case BinaryOp::Le:
    return "<=";
  case BinaryOp::Gt:
    return ">";
  case BinaryOp::Ge:
    return ">=";
  case BinaryOp::And:
    return "&&";
  case BinaryOp::Or:
    return "||";
  }
  llvm_unreachable("all operators are spelled");
}

bool ast::isComparison(BinaryOp op) {
  return op >= BinaryOp::Eq && op <= BinaryOp::Ge;
}

llvm::StringRef Context::copy(const llvm::Twine &text) {
  llvm::SmallString<32> buffer;
  llvm::StringRef flat = text.toStringRef(buffer);
  char *memory = allocator.Allocate<char>(flat.size());
  llvm::copy(flat, memory);
  return llvm::StringRef(memory, flat.size());
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
