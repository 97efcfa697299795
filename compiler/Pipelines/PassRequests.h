// What a user requests about the passes of a compilation. This header does not include MLIR.
#pragma once

#include <string>
#include <vector>

namespace tilerig::compiler {

// Options for debugging passes: what to print, measure and verify while they run (PassInstruments.h).
struct PassDebugging {
  // Names of the passes before and after which the module's text is printed.
  std::vector<std::string> printBefore, printAfter;
  bool printsBeforeAll = false, printsAfterAll = false;
  bool printsOnlyChanges = false; // print the module after a pass only if the pass changed it
  std::string treeFolder;         // folder for the texts of the module; empty: they are printed
  bool printsTiming = false, printsStatistics = false;
  std::string reproducer; // file to which the module and the pipeline are written if a pass fails or crashes
  bool verifiesEach = false;
  std::vector<std::string> remarks; // kinds of remarks to print: applied, missed, analysis
  std::string remarksFilter = ".*"; // regular expression: print only remarks of passes whose name matches

  // Whether anything is printed about passes while they run.
  bool isUsed() const {
    return printsText() || printsTiming || printsStatistics || !treeFolder.empty() || !remarks.empty();
  }
  bool printsText() const {
    return printsBeforeAll || printsAfterAll || printsOnlyChanges || !printBefore.empty() ||
           !printAfter.empty();
  }
};

struct PassRequests {
  // textual pipeline to run instead of the usual passes on level graph; or empty
  std::string pipeline;
  std::vector<std::string> without;  // names of the passes to leave out
  std::vector<std::string> inserted; // passes to insert, each written as NAME@after=PASS or NAME@before=PASS
  std::vector<std::string> plugins;  // paths of shared libraries from which passes are loaded
  // Where layers may run: "accelerator", or "host" (on the accelerator or by kernels of the host); empty:
  // anywhere.
  std::string only;
  PassDebugging debugging;
};

} // namespace tilerig::compiler
