#include "verify/Tools/DebugChain.h"

#include "compiler/Processes/StartCommand.h"
#include "isa/Base/Support/StrictJson.h"

#include <algorithm>
#include <array>

namespace tilerig::verify {

// Options of `tilerig check` that `tilerig bisect` has as well, besides those that change nothing in what is wrong.
static constexpr std::array<std::string_view, 19> shared = {"--precision",
                                                            "--calibration",
                                                            "--quantised-inputs",
                                                            "--quantised-outputs",
                                                            "--machine",
                                                            "--tiles",
                                                            "--strategy",
                                                            "--wb-pin-ocm",
                                                            "--passes",
                                                            "--without",
                                                            "--only",
                                                            "--insert-pass",
                                                            "--load-pass-plugin",
                                                            "--input",
                                                            "--input-shape",
                                                            "--batch",
                                                            "--seed",
                                                            "--inject",
                                                            "--inject-seed"};

Result<Json> debugRecord(const CommandOptions &options, const std::string &model, const std::string &folder) {
  std::vector<std::string> words = {model, "--output", folder};
  for (const GivenOption &option : options.givenOptions())
    if (std::ranges::find(shared, option.name) != shared.end())
      for (std::string &word : option.words())
        words.push_back(std::move(word));
  TILERIG_TRY(const std::string text,
              compiler::startCommand(compiler::programBeside("bisect"), std::move(words)));
  TILERIG_TRY(Json document, parseStrictJson(text, "tilerig bisect"));
  Json record = {{"record", "debug"}, {"name", "first failing layer"}};
  record.update(document);
  return record;
}

} // namespace tilerig::verify
