#include "verify/Tools/DebugChain.h"

#include "compiler/Processes/StartCommand.h"
#include "isa/Base/Support/StrictJson.h"
#include "verify/Tools/CheckArguments.h"

#include <filesystem>

namespace tilerig::verify {

static Result<Json> bisected(const CommandOptions &options, const std::string &model,
                             const std::string &folder) {
  CommandOptions shared("", "");
  CheckArguments unused;
  unused.declareCase(shared);
  std::vector<std::string> words = {model, "--output", folder};
  for (const GivenOption &option : options.givenOptions())
    if (shared.has(option.name))
      for (std::string &word : option.words())
        words.push_back(std::move(word));
  TILERIG_TRY(const std::string text,
              compiler::startCommand(compiler::programBeside("bisect"), std::move(words)));
  return parseStrictJson(text, "tilerig bisect");
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
