// Options of a user about the passes of a compilation. This header does not include MLIR.
#pragma once

#include <string>
#include <vector>

namespace tilerig::compiler {

// Options for debugging passes: what to print, measure and verify while they run (PassInstruments.h).
struct PassDebugging {
  // Passes, by their flags, before and after which the module's text is printed.
  std::vector<std::string> printBefore, printAfter;
  bool printsBeforeAll = false, printsAfterAll = false;
  bool printsOnlyChanges = false; // print the module after a pass only if the pass changed it
  std::string treeFolder;         // folder for the texts of the module; empty: they are printed
  bool printsTiming = false, printsStatistics = false;
  std::string reproducer; // file to which module and passes are written if a pass fails or crashes
  bool verifiesEach = false;
  std::vector<std::string> remarks; // kinds of remarks to print: applied, missed, analysis
  std::string remarksFilter = ".*"; // regular expression: print only remarks of passes whose flag matches

  bool printsText() const {
    return printsBeforeAll || printsAfterAll || printsOnlyChanges || !printBefore.empty() ||
           !printAfter.empty();
  }
};

struct PassRequests {
  std::string pipeline;              // textual pipeline that replaces the passes over level graph; or empty
  std::vector<std::string> without;  // flags of the passes to leave out
  std::vector<std::string> inserted; // passes to insert, in the form of parseInsertedPass()
  std::vector<std::string> plugins;  // paths of shared libraries from which passes are loaded
  // Where layers may run: accelerator, host (which includes the accelerator), or anywhere if empty.
  std::string only;
  PassDebugging debugging;
};

} // namespace tilerig::compiler
