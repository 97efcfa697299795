#include "verify/Tools/DebugChain.h"

#include "compiler/Processes/StartCommand.h"
#include "isa/Base/Support/StrictJson.h"

#include <algorithm>
#include <array>
#include <filesystem>

namespace tilerig::verify {

// Options of `tilerig check` that `tilerig bisect` has as well, besides those that change nothing in what is wrong.
static constexpr std::array<std::string_view, 20> shared = {"--precision",
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
                                                            "--inject-seed",
                                                            "--threads"};

static Result<Json> bisected(const CommandOptions &options, const std::string &model,
                             const std::string &folder) {
  std::vector<std::string> words = {model, "--output", folder};
  for (const GivenOption &option : options.givenOptions())
    if (std::ranges::find(shared, option.name) != shared.end())
      for (std::string &word : option.words())
        words.push_back(std::move(word));
  TILERIG_TRY(const std::string text,
              compiler::startCommand(compiler::programBeside("bisect"), std::move(words)));
  TILERIG_TRY(Json document, parseStrictJson(text, "tilerig bisect"));
  return document;
}

Json debugRecord(const CommandOptions &options, const std::string &model, const std::string &folder) {
  Json record = {
      {"record", "debug"}, {"name", "first failing layer"}, {"layer", nullptr}, {"reproducer", nullptr}};
  if (const Result<Json> document = bisected(options, model, folder))
    record.update(*document);
  else
    record["error"] = document.error().message();
  return record;
}

Status checkDebugFolder(const std::string &folder) {
  std::error_code ignored;
  if (std::filesystem::exists(folder, ignored) && !std::filesystem::is_directory(folder, ignored))
    return invalidInput(folder, "this is a file, but --debug needs a folder", "choose another name");
  return success();
}

} // namespace tilerig::verify
