#include "isa/Instructions/Schema.h"

#include "isa/Base/Support/Hash.h"

#include <gtest/gtest.h>

namespace tilerig {
namespace {

TEST(Schema, StatesEveryInstructionAndField) {
  const std::string text = schemaText();
  for (const char *line :
       {"\nwait 0x4 128\n", "\n semaphore 48+8 unsigned 0..255\n", "\n value 64+32 unsigned 1..4294967295\n",
        "\ngroup_barrier 0x5 128\n layer 8+24 unsigned 0..16777215\n tiles 64+64 unsigned "
        "0..18446744073709551615\n",
        "\n kind 40+2 enum layer_begin,layer_end,breakpoint\n", "\n epilogue.addend.dims[4].stride ",
        "\n finish.clamp_low 272+9 signed -256..255\n", "\n epsilon 64+32 float\n"})
    EXPECT_NE(text.find(line), std::string::npos) << line << "in\n" << text;
  EXPECT_EQ(text.find("semaphore of the own tile"), std::string::npos) << "meanings are left out";
}

TEST(Schema, HashesTheText) { EXPECT_EQ(schemaHash(), hashText(schemaText())); }

} // namespace
} // namespace tilerig
