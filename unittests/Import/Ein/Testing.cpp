//===- Testing.cpp - Helpers of the front end's unit tests ----------------===//

#include "Testing.h"

using namespace tapestry::ein;

const Tensor *Analysis::tensor(llvm::StringRef name) const {
  for (const Tensor &tensor : graph->tensors)
    if (tensor.name == name)
      return &tensor;
  return nullptr;
}

const Vertex *Analysis::vertex(llvm::StringRef name) const {
  const Tensor *found = tensor(name);
  return found && found->vertex ? &graph->vertices[*found->vertex] : nullptr;
}

std::string Analysis::labels(llvm::StringRef name) const {
  std::string text;
  const Vertex *found = graph ? vertex(name) : nullptr;
  if (!found)
    return "no such vertex";
  for (const VertexLabel &label : found->labels)
    text += (text.empty() ? "" : " ") + label.name + ":" +
            std::to_string(label.extent);
  return text;
}

Analysis tapestry::ein::analyzeText(llvm::StringRef text,
                                    const EinOptions &options) {
  Analysis analysis;
  auto place = [&](llvm::SMRange range) {
    if (!range.isValid())
      return std::string("?");
    llvm::StringRef before(text.begin(),
                           range.Start.getPointer() - text.begin());
    return std::to_string(before.count('\n') + 1);
  };
  DiagnosticEngine diagnostics([&](const Diagnostic &diagnostic) {
    analysis.messages.push_back(place(diagnostic.range) + ": " +
                                diagnostic.message);
    for (const Diagnostic::Note &note : diagnostic.notes)
      analysis.messages.push_back(place(note.range) +
                                  ": note: " + note.message);
  });
  analysis.graph = parseAndAnalyze(text, options, diagnostics);
  return analysis;
}
