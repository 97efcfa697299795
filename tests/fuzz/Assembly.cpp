// Fuzzer of the assembler: damaged assembly texts are accepted or refused, and an accepted text is unchanged
// by printing and parsing it again.
#include "isa/Assembly/Grammar.h"
#include "isa/Assembly/Parser.h"
#include "isa/Assembly/Printer.h"
#include "isa/Program/Writer.h"
#include "tests/fuzz/Fuzz.h"
#include "tests/support/Programs/SampleProgram.h"

using namespace tilerig;

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  std::string_view text(reinterpret_cast<const char *>(data), size);
  auto assembly = parseAssembly(text, "x", {.unfoldedBytes = 1 << 20});
  if (!assembly)
    return 0;
  std::string printed = printProgram(assembly->program);
  // A text can express more than a program file may hold. If the file writer accepts the program, the printed
  // and reparsed text must give the same file.
  auto before = serialiseProgram(assembly->program);
  if (!before)
    return 0;
  auto again = parseProgram(printed, "x");
  require(static_cast<bool>(again));
  require(printProgram(*again) == printed);
  auto after = serialiseProgram(*again);
  require(after && *after == *before);
  return 0;
}

extern "C" void tilerigSeeds(SeedSink &sink) {
  test::Random random(1);
  for (int i = 0; i < 40; ++i)
    sink.add(printProgram(test::sampleProgram(random, *loadMachine(i % 2 ? "tiny" : "tr16"))));
  size_t example = trasmGrammar.rfind("\n.tiles 2"), end = trasmGrammar.rfind("```");
  sink.add(trasmGrammar.substr(example, end - example));
  sink.add(
      std::string_view(".define a=3\n.constant b=a*64 i8 [-1, 3*5, 0..7 1*a]\n.constant 4096 fp16 [1.5 inf]\n"
                       "load source=i8 ddr[b+64*a] <2, 3*0, 4> destination=i8 ocm[a] ; x\nhalt"));
}
