#include "compiler/Tools/WriteSession.h"

#include "isa/Base/Support/Utf8.h"
#include "isa/Base/Tensor/Tensor.h"

#include <fmt/format.h>

namespace tilerig::compiler {

namespace {

// Writes a text as a C++ string literal. Control characters, and bytes that are not UTF-8, become octal
// escapes; these end after three digits, unlike hexadecimal ones. All other characters stay unchanged.
std::string literal(std::string_view text) {
  std::string out = "\"";
  while (!text.empty()) {
    const char c = text.front();
    const CodePoint codePoint = firstCodePoint(text);
    if (codePoint.length == 0 || codePoint.value < 0x20 || c == 0x7F)
      out += fmt::format("\\{:03o}", static_cast<unsigned char>(c));
    // escapes question marks, because two of them in a row begin a trigraph in C++
    else if (c == '"' || c == '\\' || c == '?')
      out += {'\\', c};
    else
      out += text.substr(0, codePoint.length);
    text.remove_prefix(std::max<size_t>(codePoint.length, 1));
  }
  return out + "\"";
}
// Makes text safe for a C++ comment: removes line breaks, other control characters and backslashes.
std::string plain(std::string text) {
  std::erase_if(text, [](char c) { return static_cast<unsigned char>(c) < 0x20 || c == '\\'; });
  return text;
}

std::string listOf(const std::vector<std::string> &texts) {
  std::vector<std::string> all;
  for (const std::string &text : texts)
    all.push_back(literal(text));
  return fmt::format("{{{}}}", fmt::join(all, ", "));
}

std::string dtypeText(const std::string &name) {
  constexpr std::array<std::string_view, numDTypes> names = {"f16", "bf16", "f32",     "f64", "i8",
                                                             "i16", "i32",  "i64",     "u8",  "u16",
                                                             "u32", "u64",  "boolean", "c64", "c128"};
  const auto type = dtypeNamed(name);
  return fmt::format("DType::{}", names[static_cast<size_t>(type.value_or(DType::f32))]);
}

std::string layerText(const StrategyLayer &layer) {
  std::string text =
      fmt::format("      {{.id = {}, .op = {}, .toLayerIds = {{{}}},\n"
                  "       .firstOnnxOp = {}, .lastOnnxOp = {},\n"
                  "       .applied = {}, .hints = {}",
                  layer.id, literal(layer.op), fmt::join(layer.toLayerIds, ", "), literal(layer.firstOnnxOp),
                  literal(layer.lastOnnxOp), listOf(layer.applied), listOf(layer.hints));
  if (layer.tiles)
    text += fmt::format(", .tiles = {}", *layer.tiles);
  if (!layer.parts.empty())
    text += fmt::format(", .parts = {{{}}}", fmt::join(layer.parts, ", "));
  if (!layer.sizes.empty()) {
    std::vector<std::string> axes;
    for (const std::vector<int64_t> &sizes : layer.sizes)
      axes.push_back(fmt::format("{{{}}}", fmt::join(sizes, ", ")));
    text += fmt::format(", .sizes = {{{}}}", fmt::join(axes, ", "));
  }
  return text + "},\n";
}

std::string inputsText(const Program &program) {
  std::string text;
  for (const proto::Tensor &tensor : program.metadata.tensors())
    if (tensor.role() == proto::INPUT)
      text += fmt::format("  TILERIG_CHECK_OK(all.add({}, Tensor({}, {{{}}})));\n", literal(tensor.name()),
                          dtypeText(tensor.dtype()), fmt::join(tensor.shape(), ", "));
  return text;
}

} // namespace

std::string sessionSource(const Program &program, const StrategyFile &strategy, const std::string &model,
                          const std::vector<std::string> &options) {
  std::string layers;
  for (const StrategyLayer &layer : strategy.layers)
    layers += layerText(layer);
  const std::string words = fmt::format("{}", fmt::join(options, " "));
  return fmt::format(
      R"cpp(// A session with {comment}, on {tiles} tiles of {machine}: written by `tilerig compile --emit cpp`, to start from.
//
// Unchanged, this session compiles the same program as
//   tilerig compile {model} {words} -o program.trb
// and runs the program on the emulated machine. To build the session, with tilerig installed:
//   find_package(tilerig REQUIRED)
//   add_executable(session session.cpp)
//   target_link_libraries(session PRIVATE tilerig::search tilerig::framework)
//
// usage: session TILERIG MODEL [INPUTS.npz [OUTPUTS.npz]]      TILERIG: the command `tilerig`
{include} "compiler/Processes/StartCommand.h"
{include} "compiler/Planning/Strategy/StrategyFile.h"
{include} "emulator/Framework/ReferenceFramework.h"
{include} "emulator/Observe/TimedRun.h"
{include} "emulator/Session.h"
{include} "isa/Program/Reader.h"
{include} "isa/Base/Support/File.h"
{include} "isa/Base/Tensor/TensorFiles.h"

{include} <cstdio>

using namespace tilerig;
using namespace tilerig::compiler;
using namespace tilerig::emulator;

namespace {{

// --- 1. The layers, and how the compiler split each ---
//
// `applied` states what the compiler chose for a layer. `hints` determine its next choice: split_io,
// split_wb, dupl_wb, DIRECTCONV, LAMM, SAMM1, SAMM2. If a layer has a hint, `tiles` sets how many tiles work
// on the layer, and `parts` into how many parts each axis of its result is split; without a hint, both fields
// are only information. compiler/Planning/Search/Knobs.h has functions that set all this.
StrategyFile layers() {{
  return {{{{
{layers}  }}}};
}}

// --- 2. Your own optimisation: change `hints`, `tiles` and `parts` of the layers in this function ---

void optimise(StrategyFile &) {{}}

// --- 3. Compile ---

Result<Program> compile(const std::string &tilerig, const std::string &model, const StrategyFile &strategy) {{
  TILERIG_CHECK_OK(writeText("strategy.json", printStrategy(strategy)));
  std::vector<std::string> words = {{"compile", model, "--strategy", "strategy.json", "-o", "program.trb"}};
  for (const char *word : std::initializer_list<const char *>{options})
    words.push_back(word);
  TILERIG_TRY([[maybe_unused]] const std::string said, startCommand(tilerig, words));
  return readProgram("program.trb");
}}

// --- 4. Inputs: from the file INPUTS.npz, or zeros without a file ---

Result<TensorMap> inputs(const char *path) {{
  if (path)
    return readTensors(path);
  TensorMap all;
{inputs}  return all;
}}

// --- 5. Run ---

Status run(int argc, char **argv) {{
  StrategyFile strategy = layers();
  optimise(strategy);
  TILERIG_TRY(Program program, compile(argv[1], argv[2], strategy));
  TILERIG_TRY(const TensorMap given, inputs(argc > 3 ? argv[3] : nullptr));
  ReferenceFramework framework(0); // runs operators that neither the accelerator nor the host can run
  TILERIG_TRY(const auto session, Session::load(std::move(program), {{.framework = &framework}}));
  TILERIG_TRY(const TimedRun timed, runTimed(*session, given, {{}}));
  TILERIG_CHECK_OK(session->finish());
  std::printf("%llu cycles\n", static_cast<unsigned long long>(timed.statistics.cycles()));
  for (const auto &[name, tensor] : timed.outputs)
    std::printf("%s: %s\n", name.c_str(), showShape(tensor.shape()).c_str());
  if (argc > 4)
    return writeTensors(argv[4], timed.outputs);
  return success();
}}

}} // namespace

int main(int argc, char **argv) {{
  if (argc < 3) {{
    std::fprintf(stderr, "usage: %s TILERIG MODEL [INPUTS.npz [OUTPUTS.npz]]\n", argv[0]);
    return 2;
  }}
  const Status done = run(argc, argv);
  if (!done)
    std::fprintf(stderr, "%s\n", done.error().message().c_str());
  return done ? 0 : static_cast<int>(exitCodeOf(done.error().kind));
}}
)cpp",
      // Passed as an argument, because scripts/check-layering takes each line with a literal #include for an
      // include of this file.
      fmt::arg("include", "#include"), fmt::arg("comment", plain(program.metadata.model())),
      fmt::arg("tiles", program.tiles), fmt::arg("machine", plain(program.machine.name)),
      fmt::arg("model", plain(model)), fmt::arg("words", plain(words)), fmt::arg("layers", layers),
      fmt::arg("options", listOf(options)), fmt::arg("inputs", inputsText(program)));
}

} // namespace tilerig::compiler
