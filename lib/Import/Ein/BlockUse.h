//===- BlockUse.h - One use of a block from outside -------------*- C++ -*-===//
//
// Private to this folder. What a use is given decides the extents of the
// block's labels, as it does in a statement: first subscripts that are one
// label, then windows, which leave what stays inside of their tensors, then
// padded ones, which leave as many points as there are elements.
//
//===----------------------------------------------------------------------===//

#ifndef TAPESTRY_LIB_IMPORT_EIN_BLOCKUSE_H
#define TAPESTRY_LIB_IMPORT_EIN_BLOCKUSE_H

#include "Scope.h"

namespace tapestry::ein {

/// One use of a block.
class BlockUse {
public:
  BlockUse(const Scope &home, DiagnosticEngine &diagnostics,
           const ast::BlockStmt &stmt, llvm::SMRange use)
      : stmt(stmt), diagnostics(diagnostics), use(use), inside(home, ""),
        extents(stmt.labels.size()) {}

  bool declareLabels();
  /// An argument: what it is called, where it stands, and what it is.
  bool addInput(const ast::BlockFormal &formal, llvm::StringRef name,
                llvm::SMRange where, const Tensor &tensor);
  bool decideExtents();
  /// The shape of a result.
  std::optional<llvm::SmallVector<int64_t, 4>>
  addOutput(const ast::BlockFormal &formal);
  bool addCosts();
  int64_t extentOf(unsigned label) const { return *extents[label]; }

  Block block;

private:
  struct Given {
    const ast::BlockFormal *formal;
    std::string name;
    llvm::SMRange where;
    llvm::SmallVector<int64_t, 4> shape;
  };

  std::optional<unsigned> labelNamed(llvm::StringRef name) const;
  bool mentionsLabel(const ast::Expr *expr) const;
  std::optional<int64_t> evaluate(const ast::Expr *expr);
  bool addForm(const ast::Expr *expr, int64_t factor, ProjectionDim &into);
  std::optional<ProjectionDim> dimOf(const ast::SliceRange &range,
                                     bool isResult);
  bool bindExtent(unsigned label, int64_t extent, const Given &given,
                  const ast::SliceRange &range);
  bool bindWhole(const ast::Expr *expr, int64_t extent, const Given &given);
  bool decideByWindows();
  void decideByPadded();
  bool checkInside(unsigned input);

  const ast::BlockStmt &stmt;
  DiagnosticEngine &diagnostics;
  llvm::SMRange use;
  /// Names of extents of whole dimensions.
  Scope inside;
  llvm::SmallVector<std::optional<int64_t>> extents;
  /// What decided them.
  llvm::StringMap<std::pair<int64_t, std::string>> decided;
  std::vector<Given> inputs;
};

} // namespace tapestry::ein

#endif // TAPESTRY_LIB_IMPORT_EIN_BLOCKUSE_H
