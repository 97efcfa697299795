// What a user asks for about the passes of a compilation. This header does not include MLIR.
#pragma once

#include <string>
#include <vector>

namespace tilerig::compiler {

// What to print, to measure and to check while passes run. PassInstruments.h carries it out.
struct PassDebugging {
  // The text of the module before and after passes: of these (flags), or of all.
  std::vector<std::string> printBefore, printAfter;
  bool printsBeforeAll = false, printsAfterAll = false;
  bool printsOnlyChanges = false; // after a pass, only if it changed the module
  std::string treeFolder;         // folder to write these texts to, one file each; empty: to the stream
  bool printsTiming = false, printsStatistics = false;
  std::string reproducer; // file to write if a pass fails or crashes: the module before, and the passes
  bool verifiesEach = false;
  std::vector<std::string> remarks; // kinds of remarks to print: applied, missed, analysis
  std::string remarksFilter = ".*"; // regular expression that the flag of their pass must match

  bool printsText() const {
    return printsBeforeAll || printsAfterAll || printsOnlyChanges || !printBefore.empty() ||
           !printAfter.empty();
  }
};

struct PassRequests {
  std::string pipeline;              // passes to run instead of those over level graph; empty: the usual ones
  std::vector<std::string> without;  // flags of passes to leave out
  std::vector<std::string> inserted; // as parseInsertedPass() takes them
  std::vector<std::string> plugins;  // files to load passes from
  PassDebugging debugging;
};

} // namespace tilerig::compiler
