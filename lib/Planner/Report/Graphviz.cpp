//===- Graphviz.cpp - Graphs laid out by another program ------------------===//

#include "tapestry/Planner/Report/PlanPicture.h"
#include "tapestry/Support/Error.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/FileUtilities.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Program.h"
#include "llvm/Support/Signals.h"
#include "llvm/Support/raw_ostream.h"

using namespace tapestry;

namespace {

/// Removed at the end, or by a signal.
class TemporaryFile {
public:
  explicit TemporaryFile(llvm::StringRef suffix, llvm::StringRef text = "") {
    int fd;
    code = llvm::sys::fs::createTemporaryFile("tapestry", suffix, fd, path);
    if (code)
      return;
    llvm::sys::RemoveFileOnSignal(path);
    remover.setFile(path);
    llvm::raw_fd_ostream os(fd, /*shouldClose=*/true);
    os << text;
    os.close();
    code = os.error();
    os.clear_error();
  }
  ~TemporaryFile() { llvm::sys::DontRemoveFileOnSignal(path); }
  TemporaryFile(const TemporaryFile &) = delete;
  TemporaryFile &operator=(const TemporaryFile &) = delete;
  std::string text() const {
    auto buffer = llvm::MemoryBuffer::getFile(path);
    return buffer ? (*buffer)->getBuffer().str() : std::string();
  }

  llvm::SmallString<128> path;
  std::error_code code;

private:
  llvm::FileRemover remover;
};

} // namespace

/// With more edges they are straight and less time is spent on short ones:
/// 1,700 take 7 s instead of a minute, 3,500 a quarter of one instead of many.
constexpr size_t manyEdges = 500;

llvm::Expected<std::string> report::layOut(llvm::StringRef digraph,
                                           unsigned seconds) {
  auto fail = [](const auto &...parts) {
    return faultError(Fault::Machine, "", parts...);
  };
  auto dot = llvm::sys::findProgramByName("dot");
  if (!dot)
    return fail("there is no 'dot' to lay it out with: install Graphviz (on "
                "Debian the package graphviz)");
  TemporaryFile input("dot", digraph), output("svg"), problems("txt");
  for (const TemporaryFile *file : {&input, &output, &problems})
    if (file->code)
      return fail("cannot write a temporary file: ", file->code.message());
  llvm::SmallVector<llvm::StringRef> arguments = {*dot, "-Tsvg"};
  if (digraph.count(" -> ") > manyEdges)
    arguments.append(
        {"-Gsplines=line", "-Gnslimit=1", "-Gnslimit1=1", "-Gmclimit=0.2"});
  std::string problem;
  int status = llvm::sys::ExecuteAndWait(*dot, arguments, /*Env=*/std::nullopt,
                                         {llvm::StringRef(input.path),
                                          llvm::StringRef(output.path),
                                          llvm::StringRef(problems.path)},
                                         seconds, /*MemoryLimit=*/0, &problem);
  std::string svg = output.text();
  if (status == 0 && llvm::StringRef(svg).contains("</svg>"))
    return svg;
  if (llvm::StringRef(problem).contains("timed out"))
    return fail("'dot' did not lay it out within ", seconds,
                " seconds; --dot writes it for other programs of Graphviz");
  if (problem.empty())
    problem = llvm::StringRef(problems.text()).split('\n').first.str();
  if (problem.empty())
    problem = "it ended with status " + std::to_string(status);
  return fail("'dot' cannot lay it out: ", problem);
}
