// `tilerig compile`: compiles an ONNX model, or an MLIR text of any level, down to the requested level.
#include "compiler/Tools/Compilation.h"

int main(int argc, char **argv) {
  using namespace tilerig;
  using namespace tilerig::compiler;
  CommandLine line(
      command("compile"),
      "tilerig compile model.onnx --emit graph -o model.mlir\n"
      "tilerig compile model.onnx --precision int8 -o model.trb\n"
      "tilerig compile model.onnx --report --metadata about\n"
      "tilerig compile model.onnx --precision int8 -o model.trb --report --report-to layers.csv\n"
      "tilerig compile model.mlir --from graph --emit layer -o layers.mlir\n"
      "tilerig compile model.onnx -quantize=int8 -num_tiles=26 -b=1 -wb_pin_ocm=0 -o model.trb\n"
      "tilerig compile model.onnx --emit tile -o tasks.mlir\n"
      "tilerig compile model.onnx --emit isa -o program.mlir\n"
      "tilerig compile program.mlir --from isa -o model.trb\n"
      "tilerig compile model.onnx --input-shape x=1x3x224x224 --emit onnx -o "
      "plain.onnx");
  CompileArguments arguments;
  declareOptions(line.options(), arguments);
  std::vector<std::string> words = withTwoDashes(argc, argv);
  std::vector<char *> wordPointers;
  for (std::string &word : words)
    wordPointers.push_back(word.data());
  wordPointers.push_back(nullptr);
  return line.run(argc, wordPointers.data(), [&]() -> Result<ExitCode> {
    complete(arguments, argc, wordPointers.data());
    TILERIG_CHECK_OK(checkArguments(arguments, line.options(), line.json()));
    TILERIG_CHECK_OK(arguments.isFromProgram() ? compileProgram(arguments, line.json())
                                               : compileModel(arguments, line.json()));
    return ExitCode::done;
  });
}
