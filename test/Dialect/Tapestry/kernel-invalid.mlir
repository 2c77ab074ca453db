// RUN: tapestry-opt %s --split-input-file --verify-diagnostics

// One case per constraint of #tapestry.kernel, named after it.

// expected-error @below {{'my-block' is no identifier of C}}
#kernel_c1 = #tapestry.kernel<"my-block" [i] (X : f32[i]) -> (Y : f32[i])>

// -----

// expected-error @below {{label 'i' occurs twice}}
#kernel_c2 = #tapestry.kernel<"f" [i, i] (X : f32[i]) -> (Y : f32[i])>

// -----

// expected-error @below {{'point' is no name of a label}}
#kernel_c2_point = #tapestry.kernel<"f" [point] (X : f32[point]) -> (Y : f32[point])>

// -----

// expected-error @below {{the name 'X' occurs twice}}
#kernel_c2_tensor = #tapestry.kernel<"f" [i] (X : f32[i] params X : f32) -> (Y : f32[i])>

// -----

// expected-error @below {{'X' has elements of type 'f8'}}
#kernel_c3 = #tapestry.kernel<"f" [i] (X : f8[i]) -> (Y : f32[i])>

// -----

// expected-error @below {{'a' has elements of type 'c64'}}
#kernel_c3_param = #tapestry.kernel<"f" [i] (X : f32[i] params a : c64) -> (Y : f32[i])>

// -----

// expected-error @below {{expected a subscript that is linear in the labels}}
#kernel_c4 = #tapestry.kernel<"f" [i] (X : f32[i floordiv 2]) -> (Y : f32[i])>

// -----

// expected-error @below {{expected a size of at least 1, got 0}}
#kernel_c4_size = #tapestry.kernel<"f" [i] (X : f32[i : 0]) -> (Y : f32[i])>

// -----

// expected-error @below {{subscript 0 of 'X' has size 3 and step 0, expected at least 1 and a linear form}}
#kernel_c4_step = #tapestry.kernel<"f" [i] (X : f32[i : 3 step 0]) -> (Y : f32[i])>

// -----

// expected-error @below {{label 'j' stands in no subscript}}
#kernel_c5 = #tapestry.kernel<"f" [i, j] (X : f32[i]) -> (Y : f32[i])>

// -----

// expected-error @below {{there is no output, expected at least 1}}
#kernel_c5_output = #tapestry.kernel<"f" [i] (X : f32[i]) -> ()>

// -----

// expected-error @below {{dimension 0 of output 'Y' is 'i + 1' of size 1, expected a label that no other dimension has, alone or times the size}}
#kernel_c6 = #tapestry.kernel<"f" [i] (X : f32[i]) -> (Y : f32[i + 1])>

// -----

// expected-error @below {{dimension 1 of output 'Y' is 'i' of size 1, expected a label that no other dimension has}}
#kernel_c6_twice = #tapestry.kernel<"f" [i] (X : f32[i]) -> (Y : f32[i, i])>

// -----

// expected-error @below {{dimension 0 of output 'Y' is '3', expected a label, a tile of one, or all of it}}
#kernel_c6_constant = #tapestry.kernel<"f" [i] (X : f32[i]) -> (Y : f32[3, i])>

// -----

// expected-error @below {{label 'i' stands alone in output 'Z', but moves tiles of another}}
#kernel_c6_alone = #tapestry.kernel<"f" [i] (X : f32[i]) -> (Y : f32[2 * i : 2], Z : f32[i])>

// -----

// expected-error @below {{output 'Z' lacks label 'i', which moves tiles of another}}
#kernel_c6_lacks = #tapestry.kernel<"f" [i] (X : f32[i]) -> (Y : f32[2 * i : 2], Z : f32[*] add)>

// -----

// expected-error @below {{output 'Y' lacks a label, and no monoid says how what that contributes is combined}}
#kernel_c7 = #tapestry.kernel<"f" [i, j] (X : f32[i, j]) -> (Y : f32[i])>

// -----

// expected-error @below {{output 'Y' is combined by add, but lacks no label}}
#kernel_c7_none = #tapestry.kernel<"f" [i] (X : f32[i]) -> (Y : f32[i] add)>

// -----

// expected-error @below {{output 'Y' of type 'u8' cannot be combined by 'max'}}
#kernel_c7_unsigned = #tapestry.kernel<"f" [i] (X : u8[i]) -> (Y : u8[] max)>

// -----

// expected-error @below {{output 'Y' of type 'f32' cannot be combined by 'xor'}}
#kernel_c7_xor = #tapestry.kernel<"f" [i] (X : f32[i]) -> (Y : f32[] xor)>

// -----

// expected-error @below {{there are costs of 'j', which is none of its labels}}
#kernel_c8 = #tapestry.kernel<"f" [i] (X : f32[i]) -> (Y : f32[i]) cost {j.flops = 3}>

// -----

// expected-error @below {{'point' takes -3 of 'flops', expected at least 0}}
#kernel_c8_negative = #tapestry.kernel<"f" [i] (X : f32[i]) -> (Y : f32[i]) cost {point.flops = -3}>

// -----

// expected-error @below {{'i' takes 'ram' twice}}
#kernel_c8_twice = #tapestry.kernel<"f" [i] (X : f32[i]) -> (Y : f32[i]) cost {i.ram = 3, i.ram = 4}>
