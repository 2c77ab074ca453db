//===- Graph.cpp - A checked .ein program ---------------------------------===//

#include "tapestry/Import/Ein/Graph.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/Format.h"

using namespace tapestry::ein;

std::string tapestry::ein::typeToString(ElementType type,
                                        llvm::ArrayRef<int64_t> shape) {
  return (stringify(type) + "[" +
          llvm::join(llvm::map_range(
                         shape, [](int64_t n) { return std::to_string(n); }),
                     ", ") +
          "]")
      .str();
}

static void printForm(llvm::raw_ostream &os, const LinearForm &form,
                      const Vertex &vertex) {
  bool first = true;
  for (LinearForm::Term term : form.terms) {
    if (!first)
      os << " + ";
    if (term.coefficient != 1)
      os << term.coefficient << "*";
    os << vertex.labels[term.label].name;
    first = false;
  }
  if (first || form.constant != 0)
    os << (first ? "" : " + ") << form.constant;
}

static void printConstant(llvm::raw_ostream &os, const Constant &constant,
                          ElementType type) {
  if (isFloat(type))
    os << llvm::format("%g", constant.real);
  else
    os << constant.integer;
}

void Graph::print(llvm::raw_ostream &os) const {
  for (const Tensor &tensor : tensors) {
    os << tensor.name << " : " << typeToString(tensor.type, tensor.shape);
    if (!tensor.vertex) {
      os << " input\n";
      continue;
    }
    const Vertex &vertex = vertices[*tensor.vertex];
    os << " = " << stringify(vertex.monoid) << "[";
    llvm::interleaveComma(vertex.labels, os, [&](const VertexLabel &label) {
      os << label.name << ":" << label.extent;
    });
    os << "]";
    for (const Operand &operand : vertex.operands) {
      const Tensor &read = tensors[operand.tensor];
      os << " " << read.name << "[";
      llvm::interleaveComma(operand.subscripts, os, [&](const LinearForm &f) {
        printForm(os, f, vertex);
      });
      os << "]";
      if (operand.pad) {
        os << "pad ";
        printConstant(os, *operand.pad, read.type);
      }
    }
    os << " nodes " << vertex.nodes.size() << "\n";
  }
  for (const Output &output : outputs)
    os << "output " << tensors[output.tensor].name << "\n";
}
