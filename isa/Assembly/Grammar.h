// The syntax of assembly text (.trasm). The reference page of the instruction set includes this text
// unchanged, as Markdown.
#pragma once

#include <string_view>

namespace tilerig {

inline constexpr std::string_view trasmGrammar =
    R"trasm(A `.trasm` file is UTF-8 text. Each instruction and each directive begins on a new line; a directive begins with a
dot. `;` starts a comment that lasts to the end of the line. Apart from that, line ends count as blanks: a statement
goes on for as many lines as it likes. Mnemonics, operands, their ranges and their enumerated values are those of the
instruction tables; nothing about a single instruction is part of the syntax.

```
program     = { directive | instruction } ;
instruction = mnemonic { operand } ;
operand     = name "=" value ;                        (* each at most once; what is left out is at its default *)
value       = integer | float | enumerator | set | stream | vector | group ;

group       = "{" { operand } "}" ;                   (* a composite operand: window, epilogue, finish … *)
stream      = type space [ integer ] "[" address "]" [ "<" dimension { "," dimension } ">" ] | "none" ;
dimension   = integer [ "*" integer ] ;               (* size [ "*" stride in bytes ] *)
vector      = "[" address "]" [ "*" ] | "none" ;      (* "*": one element for every channel *)
type        = enumerator ;                            (* of the element types, as in i8 *)
space       = enumerator ;                            (* of the memories; after remote comes the tile's number *)
set         = "{" [ member { "," member } ] "}" ;     (* tiles and axes: the numbers of the bits that are 1 *)
member      = integer [ "-" integer ] ;

integer     = [ "-" ] ( digits | "0x" hex-digits ) | name ;   (* a name that was defined before *)
float       = decimal | [ "-" ] "inf" | "0x" hex-digits ;     (* hexadecimal: its 32 bits, for NaN for instance *)
address     = product { ( "+" | "-" ) product } ;
product     = integer { "*" integer } ;
string      = '"' { character | "\n" | "\r" | "\t" | "\"" | "\\" | "\x" hex hex } '"' ;
```

What is left out of an instruction is at the default that the tables state. The disassembler leaves out what is there
anyway, except choices and the numbers of control instructions.

A stream has five dimensions, the outermost first. Outer dimensions of size 1 may be left out, and so may strides: a
dimension without one is packed. Its stride is then 0 if its size is 1, and otherwise size times stride of the next
dimension inside it that has neither size 1 nor stride 0, or the size of an element if there is none. `<3, 64, 64>` of
`i8` is the same as `<1*0, 1*0, 3*4096, 64*64, 64*1>`; `<4*0, 64>` repeats a row four times. No `<…>` at all is a
single element.

```
; 16 of 64 channels of a 56 x 56 image, into a packed buffer
load source=i8 ddr[0x20000+16] <56, 56*64, 16> destination=i8 ocm[0x0] <56, 56, 16>
sync on=dma_in
conv layer=3 window={stride_h=2 stride_w=2 pad_top=1 pad_left=1}
    input=i8 ocm[0x0] <56, 56, 16>
    weights=i8 ocm[0xc400] <32, 3, 3, 16>
    output=i8 ocm[0xd600] <28, 28, 32>
    epilogue={
        bias=[0x13800] scale=[0x13880]*
        finish={function=relu clamp_low=-128 clamp_high=127 output={scale=0.05}}
    }
signal engine=pod tile=1 semaphore=2
```

#### Directives

```
directive   = ".machine" ( name | json )                      (* tiny where nothing is said *)
            | ".tiles" integer                                (* else one more than the highest tile that is written *)
            | ".define" name "=" address
            | ".constant" [ name "=" ] address ( type values | "hex" bytes )
            | tensor
            | ".stage" string phase
            | ".tile" integer
            | ".host" string { host-option }
            | ".metadata" textproto | ".proof" textproto      (* the messages Metadata and Proof, in braces *)
            | test ;

phase       = "initial" | "inference" | "finishing" ;
values      = "[" { entry [ "," ] } "]" ;
entry       = number [ "*" integer ]                          (* as often as the integer says *)
            | integer ".." integer                            (* all from the first to the last *)
            | "(" { entry [ "," ] } ")" "*" integer ;
number      = integer | float ;                               (* by the type of the data *)
bytes       = "[" { hex-word [ "*" integer ] } "]" ;          (* bytes by ascending address *)
integers    = "[" { integer [ "," ] } "]" ;

tensor      = ( ".tensor" | ".input" | ".output" ) string dtype integers { tensor-option } { piece } ;
tensor-option = ( "stored" "=" type ) | ( "scale" "=" float ) | ( "sizes" "=" string ) | ( ( "zero_point" | "layer" | "stage" ) "=" integer ) ;
piece       = ( "ddr" | "ocm" integer ) "[" address "]" { ( "begin" | "extent" | "stride" ) "=" integers }
              [ "ready_at" "=" integer ] ;

host-option = "layer" "=" integer | ( "inputs" | "outputs" ) "=" "[" { string [ "," ] } "]"
            | "attributes" "=" "{" { string "=" attribute } "}" ;
attribute   = "{" { "ints" "=" integers | "floats" "=" "[" { float [ "," ] } "]" | "text" "=" string } "}" ;

test        = ".set" string values | ".expect" string values
            | ".expect_fault" name [ string ] | ".expect_problem" name [ string ] ;
```

Instructions belong to the latest `.tile` of the latest `.stage`. Before any `.stage`, the stage is an inference stage
named "main"; before any `.tile` of a stage, the tile is 0; a tile that a stage does not mention halts at once. So a
file of nothing but instructions is a program for one tile of `tiny`.

`.define` and the label of a constant give a name to an integer; it may stand wherever an integer may. In `[…]` and
after `.define` integers may be added, subtracted and multiplied.

A `.constant` of a type has its values rounded half even to it (fp16 and bf16 by way of fp64); an integer out of the
type's range is refused. `hex` gives the bytes themselves.

The type of a tensor is that of the model, under the name that numpy gives it (`float32`, `int64`, `bfloat16`);
`stored` is the type of its elements in memory, and need not be said where it is the same. Pieces default to the whole
tensor without gaps, in the order of its dimensions: `begin` to 0, `extent` to the rest, `stride` to packed. Where
a layer writes parts of a tensor into the same bytes, one after the other, `ready_at` says for each in front of which
instruction of its tile it is there.

Tests: `.set` gives values to an input and `.expect` states those of an output, in the tensor's own type and complete;
the tensor is declared before. `.expect_fault` names the fault that must end a run; each `.expect_problem` names a kind
of problem that the analyser must find, and no other kind may be found. Both may add words that the message contains.
None of this is part of the program.

```
.tiles 2
.define ready=0                                       ; a semaphore
.constant weights=0x1000 i8 [1, -2, 3*30]
.input "x" float32 [1, 8] stored=i8 scale=0.5 ddr[0x2000]
.output "y" float32 [1, 8] stored=i8 scale=0.5 ddr[0x3000]
.set "x" [0..7]

.stage "main" inference
.tile 0
    load source=i8 ddr[0x2000] <8> destination=i8 ocm[0] <8>
    signal engine=dma_in tile=1 semaphore=ready
    halt
.tile 1
    wait engine=dma_in semaphore=ready
    load source=i8 remote 0[0] <8> destination=i8 ocm[0] <8>
    sync engine=dma_out on=dma_in
    store source=i8 ocm[0] <8> destination=i8 ddr[0x3000] <8>
    halt
.expect "y" [0..7]
```
)trasm";

} // namespace tilerig
