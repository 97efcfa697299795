#include "compiler/Pipelines/PassInstruments.h"

#include <algorithm>
#include <filesystem>
#include <fmt/core.h>
#include <llvm/Support/Regex.h>
#include <llvm/Support/raw_ostream.h>
#include <map>
#include <mlir/Pass/Pass.h>
#include <mlir/Pass/PassInstrumentation.h>

namespace tilerig::compiler {

namespace {

using OutputFormat = mlir::DefaultTimingManager::OutputFormat;

// When modules are printed, abbreviates large constants, so that the text has a readable size.
mlir::OpPrintingFlags printingFlags() {
  constexpr int64_t largestElements = 16, largestBytes = 64;
  return mlir::OpPrintingFlags()
      .elideLargeElementsAttrs(largestElements)
      .elideLargeResourceString(largestBytes);
}

void printTitle(llvm::raw_ostream &stream, llvm::StringRef title) {
  const std::string line = "===" + std::string(73, '-') + "===\n";
  stream << line << std::string((line.size() - 1 - title.size()) / 2, ' ') << title << "\n" << line;
}

} // namespace

// Counts how often each pass runs.
class PassInstruments::Counter : public mlir::PassInstrumentation {
public:
  explicit Counter(std::vector<std::pair<std::string, unsigned>> &runs) : runs(runs) {}

private:
  void runBeforePass(mlir::Pass *pass, mlir::Operation *) override {
    const std::string name = pass->getArgument().str();
    if (name.empty()) // does not count MLIR's adaptors, which only run other passes on nested operations
      return;
    auto entry = std::ranges::find(runs, name, [](const auto &run) { return run.first; });
    if (entry == runs.end())
      entry = runs.insert(runs.end(), {name, 0});
    ++entry->second;
  }

  std::vector<std::pair<std::string, unsigned>> &runs;
};

PassInstruments::PassInstruments(const PassDebugging &debugging, mlir::MLIRContext &context,
                                 llvm::raw_ostream &stream)
    : debugging(debugging), stream(stream) {
  if (!debugging.remarks.empty() || debugging.printsStatistics)
    remarks.emplace(context);
  timing.setEnabled(debugging.printsTiming);
  timing.setDisplayMode(mlir::DefaultTimingManager::DisplayMode::Tree);
  timing.setOutput(mlir::createOutputStrategy(OutputFormat::Text, stream));
  total = timing.getRootScope();
}

// MLIR's timing manager would print times when it is destroyed. This is disabled, because report() prints
// them.
PassInstruments::~PassInstruments() { timing.setEnabled(false); }

Status PassInstruments::check() const {
  std::string problem;
  if (!llvm::Regex(debugging.remarksFilter).isValid(problem))
    return usageError("--remarks-filter", "the text is not a regular expression: " + problem,
                      "write a pattern for names of passes, such as 'fuse-.*'");
  if (debugging.treeFolder.empty())
    return success();
  std::error_code error;
  std::filesystem::create_directories(debugging.treeFolder, error);
  return error ? invalidInput(debugging.treeFolder, "the folder cannot be created: " + error.message())
               : success();
}

mlir::TimingScope PassInstruments::time(llvm::StringRef step) { return total.nest(step); }

void PassInstruments::add(mlir::PassManager &manager, llvm::StringRef phase) {
  ++phases;
  if (debugging.printsStatistics)
    manager.addInstrumentation(std::make_unique<Counter>(runs));
  if (debugging.printsText())
    addPrinting(manager, phase);
  if (!debugging.reproducer.empty())
    manager.enableCrashReproducerGeneration(debugging.reproducer);
}

void PassInstruments::addPrinting(mlir::PassManager &manager, llvm::StringRef phase) const {
  const auto isIn = [](mlir::Pass *pass, const std::vector<std::string> &names) {
    return llvm::is_contained(names, pass->getArgument());
  };
  const auto before = [=, this](mlir::Pass *pass, mlir::Operation *) {
    return debugging.printsBeforeAll || isIn(pass, debugging.printBefore);
  };
  // The option --mlir-print-ir-after-change applies to all passes, unless the option --mlir-print-ir-after
  // lists passes.
  const bool isAfterAll =
      debugging.printsAfterAll || (debugging.printsOnlyChanges && debugging.printAfter.empty());
  const auto after = [=, this](mlir::Pass *pass, mlir::Operation *) {
    return isAfterAll || isIn(pass, debugging.printAfter);
  };
  if (debugging.treeFolder.empty())
    manager.enableIRPrinting(before, after, /*printModuleScope=*/false, debugging.printsOnlyChanges,
                             /*printAfterOnlyOnFailure=*/false, stream, printingFlags());
  else // each pass manager gets a folder, because MLIR numbers the files of each from 0
    manager.enableIRPrintingToFileTree(before, after, /*printModuleScope=*/false, debugging.printsOnlyChanges,
                                       /*printAfterOnlyOnFailure=*/false,
                                       fmt::format("{}/{}-{}", debugging.treeFolder, phases, phase.str()),
                                       printingFlags());
}

void PassInstruments::report() {
  total.stop();
  if (debugging.printsTiming)
    timing.print();
  if (debugging.printsStatistics)
    reportStatistics();
  if (!debugging.remarks.empty())
    reportRemarks();
}

// Prints the statistics of passes in MLIR's format. MLIR's own code for it is disabled in Debian's build of
// LLVM.
void PassInstruments::reportStatistics() const {
  printTitle(stream, "... Pass statistics report ...");
  for (const auto &[pass, count] : runs) {
    stream << pass << "\n  (S) " << count << " runs\n";
    std::map<std::string, unsigned> counts; // how many remarks the pass has emitted, by name of the remark
    for (const PassRemark &remark : remarks->all())
      if (remark.pass == pass && remark.kind != RemarkKind::missed)
        ++counts[remark.name];
    for (const auto &[name, number] : counts)
      stream << "  (S) " << number << " " << name << "\n";
  }
}

void PassInstruments::reportRemarks() const {
  const llvm::Regex filter("^(" + debugging.remarksFilter + ")$");
  for (const PassRemark &remark : remarks->distinct())
    if (llvm::is_contained(debugging.remarks, nameOf(remark.kind)) && filter.match(remark.pass))
      stream << lineOf(remark) << "\n";
}

bool verifiesEachPass() {
#ifdef NDEBUG
  return false;
#else
  return true;
#endif
}

} // namespace tilerig::compiler
