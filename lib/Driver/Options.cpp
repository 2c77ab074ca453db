//===- Options.cpp - The command line of the tapestry driver --------------===//
//
// One file, though long: an option is entered into its commands when it is
// made, so that all have to be made in the order in which they stand here.
//
//===----------------------------------------------------------------------===//

#include "tapestry/Driver/Options.h"
#include "OptionWords.h"
#include "Usage.h"
#include "tapestry-rt/ABI.h"
#include "tapestry-rt/Files.h"
#include "tapestry-rt/Runtime.h"
#include "tapestry/Codegen/Pipeline.h"
#include "tapestry/Driver/Status.h"
#include "tapestry/Driver/Version.h"
#include "tapestry/Planner/Contraction/ContractionOrder.h"
#include "tapestry/Plugin/Loader.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/CommandLine.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/raw_ostream.h"
#include <optional>

using namespace llvm;
using namespace tapestry::driver;
using namespace tapestry::contraction;

namespace {

cl::OptionCategory category("Tapestry options");

cl::SubCommand runCommand("run", "Plan, compile in memory and run on threads");
cl::SubCommand planCommand("plan",
                           "Decide how to cut and show it; run nothing");
cl::SubCommand compileCommand("compile", "Make a standalone executable");
cl::SubCommand referenceCommand("reference",
                                "Evaluate directly on one device: the oracle");
cl::SubCommand calibrateCommand("calibrate",
                                "Measure this machine with the runtime");

cl::SubCommand sessionCommand("session",
                              "Keep tensors distributed between programs");
cl::SubCommand cacheCommand("cache", "Show what earlier compilations left");

cl::opt<std::string> program(cl::Positional, cl::desc("PROG.ein|PROG.mlir"),
                             cl::sub(runCommand), cl::sub(planCommand),
                             cl::sub(compileCommand), cl::sub(referenceCommand),
                             cl::cat(category));
cl::opt<std::string> commandFile(cl::Positional, cl::desc("[FILE]"),
                                 cl::sub(sessionCommand), cl::cat(category));
cl::list<std::string> params("D", cl::desc("Set a param of the program"),
                             cl::value_desc("n=1024"), cl::Prefix,
                             cl::sub(runCommand), cl::sub(planCommand),
                             cl::sub(compileCommand), cl::sub(referenceCommand),
                             cl::cat(category));
cl::opt<bool> quiet("q",
                    cl::desc("No progress, no list of what is not written"),
                    cl::ValueDisallowed, cl::sub(runCommand),
                    cl::sub(planCommand), cl::sub(compileCommand),
                    cl::sub(referenceCommand), cl::sub(calibrateCommand),
                    cl::sub(sessionCommand), cl::cat(category));
cl::opt<bool> verbose("v", cl::desc("Say what is done, and how long it takes"),
                      cl::ValueDisallowed, cl::sub(runCommand),
                      cl::sub(planCommand), cl::sub(compileCommand),
                      cl::sub(referenceCommand), cl::sub(calibrateCommand),
                      cl::sub(sessionCommand), cl::cat(category));

cl::list<std::string> plugins("load-plugin",
                              cl::desc(tapestry::loadPluginDescription),
                              cl::value_desc("X.so"), cl::sub(runCommand),
                              cl::sub(planCommand), cl::sub(compileCommand),
                              cl::sub(referenceCommand),
                              cl::sub(calibrateCommand),
                              cl::sub(sessionCommand), cl::cat(category));

cl::list<std::string>
    objects("object",
            cl::desc("Object file or shared library with functions of blocks"),
            cl::value_desc("FILE"), cl::sub(runCommand),
            cl::sub(compileCommand), cl::sub(referenceCommand),
            cl::sub(sessionCommand), cl::cat(category));

// Planning.
/// One option per row of planOptions().
std::vector<std::unique_ptr<cl::opt<std::string>>> makePlanning() {
  std::vector<std::unique_ptr<cl::opt<std::string>>> options;
  // An option knows its commands when it is made, or they do not know it.
  cl::SubCommandGroup files = {&runCommand, &planCommand, &compileCommand};
  cl::SubCommandGroup planning = {&runCommand, &planCommand, &compileCommand,
                                  &sessionCommand};
  cl::SubCommandGroup all = {&runCommand, &planCommand, &compileCommand,
                             &calibrateCommand, &sessionCommand};
  for (const tapestry::plan::PlanOption &row : tapestry::plan::planOptions())
    options.push_back(std::make_unique<cl::opt<std::string>>(
        StringRef(row.name), cl::desc(row.description),
        cl::value_desc(row.value),
        // A plan is one program's.
        cl::sub(row.name == "devices" || row.name == "threads" ? all
                : row.name == "plan"                           ? files
                                                               : planning),
        cl::cat(category)));
  return options;
}
const std::vector<std::unique_ptr<cl::opt<std::string>>> planning =
    makePlanning();
cl::opt<std::string>
    backend("backend", cl::desc("What to measure: local (default) or mpi"),
            cl::value_desc("name"), cl::init("local"),
            cl::sub(calibrateCommand), cl::cat(category));
cl::opt<std::string>
    collectives("collectives",
                cl::desc("Whose collectives: ring (default), the runtime's "
                         "own; mpi, MPI's (calibrate --backend mpi); nccl, "
                         "NCCL's (run --target cuda)"),
                cl::value_desc("name"), cl::init("ring"),
                cl::sub(calibrateCommand), cl::sub(runCommand),
                cl::cat(category));
cl::opt<std::string>
    graph("graph", cl::desc("Which graph of an .mlir file (the only one)"),
          cl::value_desc("name"), cl::sub(runCommand), cl::sub(planCommand),
          cl::sub(compileCommand), cl::sub(referenceCommand),
          cl::cat(category));
cl::opt<std::string>
    overlap("overlap",
            cl::desc("Collectives go on beside computation from so many bytes "
                     "that leave a device on (64KiB), or none does"),
            cl::value_desc("BYTES|none"), cl::sub(runCommand),
            cl::sub(planCommand), cl::sub(compileCommand),
            cl::sub(sessionCommand), cl::cat(category));
cl::opt<std::string> cutProducts(
    "cut-products",
    cl::desc("Products whose results are reduced over devices are computed in "
             "parts, one of which goes on its way while the next is computed, "
             "from so many bytes of a device's result on, or none is (what the "
             "machine of --cost spmd says, else none)"),
    cl::value_desc("BYTES|none"), cl::sub(runCommand), cl::sub(planCommand),
    cl::sub(compileCommand), cl::sub(sessionCommand), cl::cat(category));
// Out of core.
cl::opt<std::string>
    executor("executor",
             cl::desc("Who runs the program: spmd (default), one rank per "
                      "device, or greedy, workers that run shards and spill "
                      "what does not fit into --memory; where no plan keeps "
                      "--memory, run goes over to greedy"),
             cl::value_desc("spmd|greedy"), cl::sub(runCommand),
             cl::sub(planCommand), cl::cat(category));
cl::opt<std::string>
    spill("spill",
          cl::desc("Folder that greedy spills to ($TMPDIR, else /tmp), or "
                   "none: what does not fit is refused"),
          cl::value_desc("DIR|none"), cl::sub(runCommand), cl::sub(planCommand),
          cl::cat(category));
// Code generation.
cl::opt<std::string>
    target("target",
           cl::desc("What code is generated for: cpu (default) or cuda"),
           cl::value_desc("name"), cl::init("cpu"), cl::sub(runCommand),
           cl::sub(planCommand), cl::sub(compileCommand),
           cl::sub(sessionCommand), cl::cat(category));
cl::opt<std::string>
    cpu("cpu",
        cl::desc("Processor that code is generated for: native (default), "
                 "x86-64-v2, x86-64-v3, x86-64-v4 or a name of LLVM's"),
        cl::value_desc("name"), cl::init("native"), cl::sub(runCommand),
        cl::sub(planCommand), cl::sub(compileCommand), cl::sub(sessionCommand),
        cl::cat(category));
cl::opt<std::string>
    gpuArch("gpu-arch",
            cl::desc("Architectures of GPUs to have code for beside sm_80"),
            cl::value_desc("sm_90,..."), cl::sub(runCommand),
            cl::sub(planCommand), cl::sub(compileCommand), cl::cat(category));
cl::opt<std::string> gpuProducts(
    "gpu-products",
    cl::desc("Who computes products of matrices on GPUs: cublaslt (default), "
             "cublaslt-relu (which may lose NaNs), or generated kernels"),
    cl::value_desc("name"), cl::init(tapestry::libraryProducts.str()),
    cl::sub(runCommand), cl::sub(planCommand), cl::sub(compileCommand),
    cl::cat(category));
cl::opt<bool>
    tf32("tf32",
         cl::desc("Products of f32 by cublaslt may round factors to TF32"),
         cl::ValueDisallowed, cl::sub(runCommand), cl::sub(compileCommand),
         cl::cat(category));
cl::opt<std::string>
    emitted("emit",
            cl::desc("Write the code that GPUs run to the file of -o: ptx"),
            cl::value_desc("form"), cl::sub(compileCommand), cl::cat(category));
cl::opt<bool> shareDevices("share-devices", cl::desc("Let ranks share GPUs"),
                           cl::ValueDisallowed, cl::sub(runCommand),
                           cl::cat(category));

cl::list<std::string>
    explain("explain",
            cl::desc("Why vertices are cut as they are: all, or those named"),
            cl::value_desc("VERTEX,..."), cl::ValueOptional, cl::CommaSeparated,
            cl::sub(planCommand), cl::cat(category));
cl::list<std::string> diff("diff",
                           cl::desc("Compare two plan files; a program is not "
                                    "needed, but completes them"),
                           cl::value_desc("a.json b.json"), cl::multi_val(2),
                           cl::sub(planCommand), cl::cat(category));
cl::opt<std::string>
    draw("draw",
         cl::desc("What --dot and --svg draw: plan (default), how vertices are "
                  "cut and what moves, graph, the expression graph with its "
                  "signatures, or shards, that graph as it is cut"),
         cl::value_desc("plan|graph|shards"), cl::init("plan"),
         cl::sub(planCommand), cl::cat(category));
cl::opt<std::string> dot("dot", cl::desc("Write the cut graph for Graphviz"),
                         cl::value_desc("plan.dot"), cl::sub(planCommand),
                         cl::cat(category));
cl::opt<std::string> svg("svg", cl::desc("Draw the cut graph (by Graphviz)"),
                         cl::value_desc("plan.svg"), cl::sub(planCommand),
                         cl::cat(category));
cl::opt<std::string> html("html", cl::desc("Draw the plan as a web page"),
                          cl::value_desc("plan.html"), cl::sub(planCommand),
                          cl::cat(category));
cl::opt<std::string>
    jsonFile("json", cl::desc("Write the plan to a file instead of showing it"),
             cl::value_desc("plan.json"), cl::sub(planCommand),
             cl::cat(category));
// The Pareto search.
cl::opt<std::string>
    pareto("pareto",
           cl::desc("Search for plans that trade time, traffic, memory and "
                    "devices; write them to a file"),
           cl::value_desc("front.json"), cl::sub(planCommand),
           cl::cat(category));
cl::opt<std::string> plot("plot",
                          cl::desc("Draw the found plans as a web page"),
                          cl::value_desc("front.html"), cl::sub(planCommand),
                          cl::cat(category));
cl::opt<std::string>
    pick("pick",
         cl::desc("The found plan to show and to write to --json: its number, "
                  "fastest (default), least-traffic, smallest, fewest or "
                  "balanced"),
         cl::value_desc("member"), cl::sub(planCommand), cl::cat(category));
cl::opt<std::string> searchThreads("search-threads",
                                   cl::desc("Threads of the Pareto search (1)"),
                                   cl::value_desc("T"), cl::sub(planCommand),
                                   cl::cat(category));
cl::opt<std::string> evaluations(
    "evaluations",
    cl::desc("The most plans that the Pareto search tries (no limit)"),
    cl::value_desc("E"), cl::sub(planCommand), cl::cat(category));
cl::opt<std::string>
    timeLimit("time-limit",
              cl::desc("Seconds after which the Pareto search begins nothing "
                       "more (0: no limit)"),
              cl::value_desc("S"), cl::sub(planCommand), cl::cat(category));
cl::opt<std::string>
    searchPrice("search-price",
                cl::desc("End the Pareto search when 1000 more trials are "
                         "expected to gain less than this share (0.001)"),
                cl::value_desc("G"), cl::sub(planCommand), cl::cat(category));
cl::opt<std::string> maxSeconds("max-seconds",
                                cl::desc("The slowest plan that is wanted"),
                                cl::value_desc("S"), cl::sub(planCommand),
                                cl::cat(category));
cl::opt<std::string>
    maxBytes("max-bytes", cl::desc("The most bytes that all devices may send"),
             cl::value_desc("N"), cl::sub(planCommand), cl::cat(category));
cl::opt<std::string> stopAfter(
    "stop-after",
    cl::desc("Print the IR after a phase (graph, plan, relation, program, "
             "code; with --target cuda gpu, nvvm) and stop"),
    cl::value_desc("phase"), cl::sub(compileCommand), cl::sub(planCommand),
    cl::cat(category));

cl::opt<bool> clearCache("clear", cl::desc("Remove all of it"),
                         cl::ValueDisallowed, cl::sub(cacheCommand),
                         cl::cat(category));

// Data.
cl::list<std::string> inputs("i", cl::desc("File of an input (a regular one)"),
                             cl::value_desc("A=a.npy"), cl::sub(runCommand),
                             cl::sub(referenceCommand), cl::cat(category));
cl::list<std::string>
    outputs("o",
            cl::desc("File of an output (compile: the executable; calibrate: "
                     "the machine file)"),
            cl::value_desc("F=f.npy"), cl::sub(runCommand),
            cl::sub(compileCommand), cl::sub(referenceCommand),
            cl::sub(calibrateCommand), cl::cat(category));
cl::list<std::string>
    likes("like",
          cl::desc("File that has the shape of an input, and decides params "
                   "that have no value"),
          cl::value_desc("A=a.npy"), cl::sub(compileCommand),
          cl::sub(planCommand), cl::cat(category));
cl::list<std::string> feeds("feed",
                            cl::desc("Output that becomes an input of the next "
                                     "repetition"),
                            cl::value_desc("Wn=W"), cl::sub(runCommand),
                            cl::sub(referenceCommand), cl::cat(category));
cl::opt<std::string> repeat("repeat", cl::desc("Run K times (1)"),
                            cl::value_desc("K"), cl::sub(runCommand),
                            cl::sub(referenceCommand), cl::cat(category));
cl::opt<std::string>
    slowLink("slow-link",
             cl::desc("Let each device send at most so much in a second"),
             cl::value_desc("BYTES"), cl::sub(runCommand), cl::cat(category));
cl::opt<std::string> reportFile("report", cl::desc("Write times and traffic"),
                                cl::value_desc("r.json"), cl::sub(runCommand),
                                cl::cat(category));
cl::opt<std::string> trace("trace", cl::desc("Write a Chrome trace"),
                           cl::value_desc("t.json"), cl::sub(runCommand),
                           cl::cat(category));
cl::opt<std::string> seed("seed", cl::desc("Seed of the Pareto search (0)"),
                          cl::value_desc("N"), cl::sub(planCommand),
                          cl::cat(category));

/// What the options of planning say.
tapestry::plan::PlanRequest planRequest(Usage &usage) {
  tapestry::plan::PlanRequest request;
  for (auto [row, given] : zip_equal(tapestry::plan::planOptions(), planning))
    if (given->getNumOccurrences() > 0)
      if (Error wrong = row.set(request, given->getValue()))
        usage.error("--" + toString(std::move(wrong)));
  // Of 0 bytes on all are cut, and none where nothing goes on meanwhile.
  if (overlap == "none")
    request.cutProducts = 0;
  else if (cutProducts.getNumOccurrences())
    request.cutProducts =
        cutProducts == "none"
            ? 0
            : std::max<int64_t>(1, usage.bytesOrNone(cutProducts, 0));
  return request;
}

ParetoRequest paretoRequest(Usage &usage) {
  ParetoRequest request;
  request.frontFile = pareto;
  request.plotFile = plot;
  if (pick.getNumOccurrences())
    request.pick = pick;
  request.threads = usage.number(searchThreads, 1, 1, /*most=*/1024);
  request.evaluations = usage.number(evaluations, 0, 1);
  request.timeLimit = usage.real(timeLimit, 0);
  request.price = usage.real(searchPrice, request.price);
  request.maxSeconds = usage.real(maxSeconds, request.maxSeconds);
  request.maxBytes = usage.real(maxBytes, request.maxBytes);
  if (request.isWanted()) {
    if (request.price == 0 && !request.evaluations && request.timeLimit == 0)
      usage.error("--" + searchPrice.ArgStr +
                  "=0 needs something else that ends the search: "
                  "--evaluations or --time-limit");
    return request;
  }
  for (const cl::opt<std::string> *option :
       {&searchThreads, &evaluations, &timeLimit, &searchPrice, &maxSeconds,
        &maxBytes, &seed})
    if (option->getNumOccurrences())
      usage.error("--" + option->ArgStr +
                  " is for the Pareto search: --pareto, --plot or --pick");
  return request;
}

} // namespace

/// Says where "-" goes. No file is written twice, or over what the command
/// reads. A plan may take the place of the plan file that it follows, which has
/// been read by then.
static void checkFiles(Options &options, Usage &usage) {
  for (std::string *file :
       {&options.jsonFile, &options.dotFile, &options.svgFile,
        &options.htmlFile, &options.pareto.frontFile, &options.pareto.plotFile,
        &options.reportFile, &options.traceFile, &options.executable,
        &options.machineFile})
    *file = tapestry::rt::writtenFile(*file);
  for (auto &[name, file] : options.outputs)
    file = tapestry::rt::writtenFile(file);
  std::vector<tapestry::rt::NamedFile> plans, others, read, written;
  auto add = [](std::vector<tapestry::rt::NamedFile> &files, StringRef what,
                StringRef path) {
    if (!path.empty())
      files.emplace_back(what, path);
  };
  add(plans, "--json", options.jsonFile);
  add(others, "--dot", options.dotFile);
  add(others, "--svg", options.svgFile);
  add(others, "--html", options.htmlFile);
  add(others, "--pareto", options.pareto.frontFile);
  add(others, "--plot", options.pareto.plotFile);
  add(others, "--report", options.reportFile);
  add(others, "--trace", options.traceFile);
  add(others, "-o", options.executable);
  add(others, "-o", options.machineFile);
  for (const auto &[name, path] : options.outputs)
    add(others, ("output '" + Twine(name) + "'").str(), path);
  add(read, "the program", options.program);
  add(read, "--machine", options.planning.machine.value_or(""));
  for (const std::string &path : options.diffFiles)
    add(read, "--diff", path);
  for (const std::string &path : plugins)
    add(read, "--load-plugin", path);
  for (const std::string &path : objects)
    add(read, "--object", path);
  written = others;
  written.insert(written.end(), plans.begin(), plans.end());
  auto check = [&](const auto &outputs, const auto &inputs) {
    tapestry::rt::Status status = tapestry::rt::checkDistinct(outputs, inputs);
    if (status.failed())
      usage.error(status.message());
  };
  check(written, read);
  add(read, "--plan", options.planning.planFile);
  check(others, read);
  for (const auto &[what, path] : written)
    options.writtenFiles.push_back(path);
}

namespace {
/// What would have no effect beside another option is refused.
class Unused {
public:
  Unused(const Twine &reason, Usage &usage)
      : reason(reason.str()), usage(usage) {}

  void refuse(const cl::Option &option) {
    if (option.getNumOccurrences())
      usage.error(reason + ": it takes no " + dashed(option.ArgStr));
  }
  /// An option of planning.
  void refuse(StringRef name) {
    for (const auto &option : planning)
      if (option->ArgStr == name)
        refuse(*option);
  }

private:
  std::string reason;
  Usage &usage;
};
} // namespace

static void checkUnused(Usage &usage) {
  auto onlyPrints = [&](const cl::Option &only) {
    if (!only.getNumOccurrences())
      return;
    Unused unused("--" + only.ArgStr + " only prints", usage);
    for (const cl::opt<std::string> *option :
         {&jsonFile, &dot, &svg, &html, &pareto, &plot, &pick})
      unused.refuse(*option);
    unused.refuse(explain);
    unused.refuse(outputs);
  };
  onlyPrints(stopAfter);
  onlyPrints(diff);
  if (executor == "greedy") {
    Unused unused("--executor greedy has no plan of devices", usage);
    for (const cl::opt<std::string> *option :
         {&jsonFile, &dot, &svg, &html, &pareto, &plot, &pick, &stopAfter,
          &draw, &overlap, &cutProducts, &slowLink})
      unused.refuse(*option);
    unused.refuse("threads");
    unused.refuse(explain);
    if (feeds.getNumOccurrences())
      usage.error("--executor greedy begins every repetition with the same "
                  "inputs: for --feed take --executor spmd, or run once per "
                  "repetition with -i INPUT=file of -o OUTPUT");
  }
  if (stopAfter == "graph") {
    Unused unused("--stop-after=graph stops before the plan", usage);
    // Products can be ordered by what plans cost.
    bool plans = llvm::any_of(planning, [](const auto &option) {
      return option->ArgStr == "order" && *option == "planned";
    });
    for (const auto &option : planning)
      if (!llvm::is_contained({"order", "prefer"}, option->ArgStr) &&
          !(plans &&
            llvm::is_contained({"devices", "grid", "cost"}, option->ArgStr)))
        unused.refuse(*option);
    for (const cl::opt<std::string> *option :
         {&target, &cpu, &overlap, &cutProducts})
      unused.refuse(*option);
  }
  if (diff.getNumOccurrences()) {
    Unused unused("--diff compares plans that are made", usage);
    for (const auto &option : planning)
      if (option->ArgStr != "order")
        unused.refuse(*option);
    for (const cl::opt<std::string> *option :
         {&stopAfter, &target, &cpu, &overlap, &cutProducts})
      unused.refuse(*option);
    // What says which graph is meant needs the program.
    Unused alone("--diff has no program", usage);
    if (program.empty()) {
      alone.refuse("order");
      alone.refuse("prefer");
      alone.refuse(graph);
      alone.refuse(params);
      alone.refuse(likes);
    }
  }
  if (pareto.getNumOccurrences() || plot.getNumOccurrences() ||
      pick.getNumOccurrences()) {
    Unused unused("a Pareto search decides by itself", usage);
    for (StringRef name : {"plan", "solver", "cost", "prefer"})
      unused.refuse(name);
  }
}

/// The options of `calibrate`, which has no program.
static std::optional<Options> calibrateOptions() {
  Options options;
  options.command = Command::Calibrate;
  Usage usage;
  options.planning = planRequest(usage);
  if (outputs.size() > 1)
    usage.error("calibrate takes one -o: the machine file to write");
  else if (outputs.size() == 1)
    options.machineFile = outputs.front();
  options.backend = backend;
  if (backend != "local" && backend != "mpi")
    usage.error("--backend: '" + backend + "' is none of local, mpi");
  options.collectives = collectives;
  if (collectives != "ring" && collectives != "mpi")
    usage.error("--collectives: '" + collectives + "' is none of ring, mpi");
  else if (collectives == "mpi" && backend != "mpi")
    usage.error("--collectives mpi: MPI's collectives need --backend mpi");
  options.verbose = verbose;
  options.quiet = quiet;
  if (usage.good)
    checkFiles(options, usage);
  if (!usage.good)
    return std::nullopt;
  return options;
}

/// The target that is asked for, and what it does not go with.
static void readTarget(Options &options, Usage &usage) {
  options.target = target;
  options.cpu = cpu;
  options.gpuArchs = gpuArch;
  options.sharesDevices = shareDevices;
  options.gpuProducts = gpuProducts;
  options.tf32 = tf32;
  options.format = emitted;
  auto made = tapestry::createTarget({options.target, options.cpu, 0, false, 1,
                                      options.gpuArchs, options.gpuProducts,
                                      options.tf32});
  if (!made)
    return usage.error(llvm::toString(made.takeError()));
  bool isOnHost = (*made)->getMemorySpaces().front().number == TAPESTRY_HOST;
  if (!isOnHost &&
      (options.command == Command::Session || executor == "greedy"))
    usage.error("--target " + target + ": " +
                (executor == "greedy" ? "--executor greedy" : "session") +
                " keeps tensors in the host's memory");
  if (!isOnHost)
    options.executor = Executor::Spmd;
  options.collectives = collectives;
  if (collectives != "ring" && collectives != "nccl")
    usage.error("--collectives: '" + collectives + "' is none of ring, nccl");
  if (isOnHost && collectives == "nccl")
    usage.error("--collectives nccl is for targets that are GPUs");
  if (isOnHost && (gpuArch.getNumOccurrences() || shareDevices ||
                   gpuProducts.getNumOccurrences() || tf32))
    usage.error(
        "--gpu-arch, --gpu-products, --tf32 and --share-devices are for "
        "targets that are GPUs");
  if (tf32 && options.gpuProducts == tapestry::generatedProducts)
    usage.error("--tf32: generated kernels multiply in f32");
  auto formats = (*made)->getFormats();
  if (!options.format.empty() &&
      llvm::none_of(formats, [&](const tapestry::TargetWord &word) {
        return word.name == options.format;
      }))
    usage.error("--emit: the target '" + target + "' has no form '" +
                options.format + "'");
}

/// The options of `session`, whose commands name programs.
static std::optional<Options> sessionOptions() {
  Options options;
  options.command = Command::Session;
  Usage usage;
  options.commandFile = commandFile;
  options.planning = planRequest(usage);
  options.planning.fillIn();
  readTarget(options, usage);
  options.objects.assign(objects.begin(), objects.end());
  options.overlap = usage.bytesOrNone(overlap, tapestry::leastOverlap);
  options.verbose = verbose;
  options.quiet = quiet;
  if (!usage.good)
    return std::nullopt;
  return options;
}

/// What of a plan is drawn, and where to.
static void readDrawing(Options &options, Usage &usage) {
  if (draw == "graph")
    options.draw = Drawing::Graph;
  else if (draw == "shards")
    options.draw = Drawing::Shards;
  else if (draw != "plan")
    usage.error("--draw takes plan, graph or shards, not '" + draw + "'");
  if (draw.getNumOccurrences() && dot.empty() && svg.empty())
    usage.error("--draw says what --dot and --svg draw: it needs one of them");
  if (options.draw != Drawing::Plan && options.pareto.isWanted())
    usage.error("a search draws plans: --draw=" + draw + " is for one plan");
  options.dotFile = dot;
  options.svgFile = svg;
  options.htmlFile = html;
}

/// Sets the options above from the words; a message where that fails.
static bool parseWords(int argc, char **argv) {
  cl::HideUnrelatedOptions(category);
  for (cl::SubCommand *command :
       {&runCommand, &planCommand, &compileCommand, &referenceCommand,
        &calibrateCommand, &sessionCommand, &cacheCommand})
    cl::HideUnrelatedOptions(category, *command);
  cl::SetVersionPrinter(printVersion);
  for (int i = 1; i < argc; ++i)
    if (StringRef(argv[i]).ltrim('-') == "diff" && i + 2 >= argc) {
      printError("--diff takes two plan files");
      return false;
    }
  if (std::string problem = valueProblem(argc, argv); !problem.empty()) {
    printError(problem);
    return false;
  }
  std::string text;
  raw_string_ostream problems(text);
  if (!cl::ParseCommandLineOptions(
          argc, argv,
          "Tapestry: cut tensor expressions over devices and run them\n\n"
          "Exit status: 0 done, 1 the program or the data is wrong, 2 usage,\n"
          "3 this machine is not able (a full disk, too little memory), "
          "4 a rank failed.\n",
          &problems)) {
    std::string problem = wordProblem(text, argc, argv);
    // Of some LLVM has spoken already.
    if (!problem.empty())
      Usage().error(problem);
    return false;
  }
  return true;
}

void tapestry::driver::forgetForeignOptions() {
  // Words are looked up there, too, whatever the command is. LLVM's --version
  // is there only.
  SmallVector<cl::Option *> foreign;
  for (auto &entry : cl::getRegisteredOptions(cl::SubCommand::getTopLevel()))
    if (!entry.second->Subs.contains(&cl::SubCommand::getAll()) &&
        entry.first != "version")
      foreign.push_back(entry.second);
  for (cl::Option *option : foreign)
    option->removeArgument();
}

std::optional<Options> tapestry::driver::parseOptions(int argc, char **argv) {
  if (!parseWords(argc, argv))
    return std::nullopt;
  Options options;
  Usage usage;
  if (runCommand)
    options.command = Command::Run;
  else if (planCommand)
    options.command = Command::Plan;
  else if (compileCommand)
    options.command = Command::Compile;
  else if (referenceCommand)
    options.command = Command::Reference;
  else if (calibrateCommand)
    return calibrateOptions();
  else if (sessionCommand)
    return sessionOptions();
  else if (cacheCommand) {
    options.command = Command::Cache;
    options.clear = clearCache;
    return options;
  } else
    usage.error("expected a command: run, plan, compile, reference, "
                "calibrate, session or cache (--help tells more)");
  options.program = program;
  StringRef ending = sys::path::extension(options.program);
  options.diffFiles.assign(diff.begin(), diff.end());
  if (options.diffFiles.size() > 2)
    usage.error("--diff compares two plan files, not " +
                Twine(options.diffFiles.size()));
  if (program.empty() && options.diffFiles.empty())
    usage.error("expected a program: PROG.ein or PROG.mlir");
  else if (!program.empty() && ending != ".ein" && ending != ".mlir")
    usage.error("expected PROG.ein or PROG.mlir, not '" + program + "'");
  readTarget(options, usage);
  options.graph = graph;
  options.planning = planRequest(usage);
  options.planning.program = sys::path::filename(options.program).str();
  options.planning.fillIn();
  const std::string &order = options.planning.order;
  if (order != "none" && !parseOrderObjective(order))
    usage.error("--order takes none, flops, peak or planned, not '" + order +
                "'");
  if (executor == "greedy")
    options.executor = Executor::Greedy;
  else if (executor == "spmd")
    options.executor = Executor::Spmd;
  else if (executor.getNumOccurrences())
    usage.error("--executor takes spmd or greedy, not '" + executor + "'");
  if (options.executor == Executor::Spmd && spill.getNumOccurrences())
    usage.error("--spill is for --executor greedy");
  if (!executor.getNumOccurrences() && spill.getNumOccurrences() &&
      spill != "none" && !options.planning.memoryLimit)
    usage.error("--spill is for what does not fit into --memory");
  options.spill = spill;
  options.overlap = usage.bytesOrNone(overlap, tapestry::leastOverlap);
  options.slowLink = usage.bytes(slowLink, 0);
  options.repeat = usage.number(repeat, 1, 1);
  options.seed = usage.number(seed, 0, 0);
  for (const auto &[name, value] : usage.bindings(params, "D", "n=1024")) {
    std::optional<ein::Number> number = ein::parseNumber(value);
    if (!number)
      usage.error("-D " + name + " takes a number, not '" + value + "'");
    options.params[name] = number.value_or(ein::Number());
  }
  options.inputs = usage.bindings(inputs, "i", "NAME=file.npy");
  options.objects.assign(objects.begin(), objects.end());
  options.likes = usage.bindings(likes, "-like", "NAME=file.npy");
  options.feeds = usage.bindings(feeds, "-feed", "OUTPUT=INPUT");
  if (!options.feeds.empty() && repeat.getNumOccurrences() == 0)
    usage.error("--feed is for the next repetition: it needs --repeat");
  options.explain = explain.getNumOccurrences() > 0;
  for (const std::string &vertex : explain)
    if (!vertex.empty())
      options.explainVertices.push_back(vertex);
  options.jsonFile = jsonFile;
  options.pareto = paretoRequest(usage);
  readDrawing(options, usage);
  options.reportFile = reportFile;
  options.traceFile = trace;
  options.verbose = verbose;
  options.quiet = quiet;
  options.stopAfter = stopAfter;
  if (options.command == Command::Compile) {
    if (outputs.size() == 1)
      options.executable = outputs.front();
    else if (options.stopAfter.empty())
      usage.error("compile takes one -o: the executable to make");
  } else {
    options.outputs = usage.bindings(outputs, "o", "NAME=file.npy");
  }
  checkUnused(usage);
  if (usage.good)
    checkFiles(options, usage);
  if (!usage.good)
    return std::nullopt;
  return options;
}
