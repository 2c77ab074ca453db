// RUN: tapestry-opt %s --tapestry-predict-memory -split-input-file -verify-diagnostics
// RUN: tapestry-opt %s --tapestry-emit-program-description -split-input-file -verify-diagnostics
// RUN: tapestry-opt %s --tapestry-mark-vertices -split-input-file -verify-diagnostics

// Whoever reads the list says what is wrong with one that somebody else wrote.

// expected-error@below {{'comm.programs' holds 3 : i64, expected a dictionary}}
module attributes {comm.programs = [3]} {}

// -----

// expected-error@below {{'comm.programs' holds "x", expected a dictionary}}
module attributes {comm.programs = ["x"]} {}

// -----

// expected-error-re@below {{'comm.programs' has the entry {}, which lacks '{{name|devices|body}}'}}
module attributes {comm.programs = [{}]} {}

// -----

// expected-error-re@below {{which lacks '{{devices|body}}'}}
module attributes {comm.programs = [{name = "x"}]} {}

// -----

// expected-error@below {{'comm.programs' has 'name' = 3 : i64, expected a string}}
module attributes {comm.programs = [{name = 3, devices = 2 : i64, entry = @tapestry_entry.p, body = @device_program.p, inputs = [], outputs = [], collectives = [], vertices = []}]} {}

// -----

// expected-error@below {{'comm.programs' has 'devices' = 0 : i64, expected a number of devices from 1 to 1048576 as i64}}
module attributes {comm.programs = [{name = "p", devices = 0, entry = @tapestry_entry.p, body = @device_program.p, inputs = [], outputs = [], collectives = [], vertices = []}]} {}

// -----

// expected-error@below {{'comm.programs' has 'devices' = 100000000 : i64, expected a number of devices from 1 to 1048576 as i64}}
module attributes {comm.programs = [{name = "p", devices = 100000000 : i64, entry = @tapestry_entry.p, body = @device_program.p, inputs = [], outputs = [], collectives = [], vertices = []}]} {}

// -----

// expected-error@below {{'comm.programs' has 'devices' = 2 : i8, expected a number of devices from 1 to 1048576 as i64}}
module attributes {comm.programs = [{name = "p", devices = 2 : i8, entry = @tapestry_entry.p, body = @device_program.p, inputs = [], outputs = [], collectives = [], vertices = []}]} {}

// -----

// expected-error@below {{'comm.programs' names the program "p" twice}}
module attributes {comm.programs = [{name = "p", devices = 2 : i64, entry = @tapestry_entry.p, body = @device_program.p, inputs = [], outputs = [], collectives = [], vertices = []}, {name = "p", devices = 2 : i64, entry = @tapestry_entry.p, body = @device_program.p, inputs = [], outputs = [], collectives = [], vertices = []}]} {}

// -----

// expected-error@below {{'comm.programs' holds @A, expected a dictionary}}
module attributes {comm.programs = [{name = "p", devices = 2 : i64, entry = @tapestry_entry.p, body = @device_program.p, inputs = [@A], outputs = [], collectives = [], vertices = []}]} {}

// -----

// expected-error@below {{which lacks 'layout', a layout}}
module attributes {comm.programs = [{name = "p", devices = 2 : i64, entry = @tapestry_entry.p, body = @device_program.p, inputs = [{name = "A", type = f32}], outputs = [], collectives = [], vertices = []}]} {}

// -----

#grid = #tapestry_index.grid<"d.0" = 2>
#half = #tapestry_index.layout<[5 by "d.0"] on #grid>
// expected-error@below {{'comm.programs' has 'type' = index, expected an integer, float or complex type}}
module attributes {comm.programs = [{name = "p", devices = 2 : i64, entry = @tapestry_entry.p, body = @device_program.p, inputs = [], outputs = [{name = "A", type = index, layout = #half}], collectives = [], vertices = []}]} {}

// -----

#grid = #tapestry_index.grid<"d.0" = 2>
#half = #tapestry_index.layout<[5 by "d.0"] on #grid>
// expected-error@below {{in a program of 1 device}}
module attributes {comm.programs = [{name = "p", devices = 1, entry = @tapestry_entry.p, body = @device_program.p, inputs = [{name = "A", type = f32, layout = #half}], outputs = [], collectives = [], vertices = []}]} {}

// -----

#grid = #tapestry_index.grid<"d.0" = 2>
#whole = #tapestry_index.layout<[5] on #grid>
#partial = #tapestry_index.layout<[5] partial ["d.0"] on #grid>
// expected-error@below {{'comm.programs' has 'kind' = "gossip", expected the name of a collective}}
module attributes {comm.programs = [{name = "p", devices = 2 : i64, entry = @tapestry_entry.p, body = @device_program.p, inputs = [], outputs = [], collectives = [{vertex = "C", kind = "gossip", type = f32, from = #partial, to = #whole, bytes = 40 : i64}], vertices = []}]} {}

// -----

#grid = #tapestry_index.grid<"d.0" = 2>
#whole = #tapestry_index.layout<[5] on #grid>
#partial = #tapestry_index.layout<[5] partial ["d.0"] on #grid>
// expected-error@below {{'comm.programs' has 'combine' = 3 : i64, expected a symbol}}
module attributes {comm.programs = [{name = "p", devices = 2 : i64, entry = @tapestry_entry.p, body = @device_program.p, inputs = [], outputs = [], collectives = [{vertex = "C", kind = "all_reduce", type = f32, from = #partial, to = #whole, bytes = 40 : i64, combine = 3}], vertices = []}]} {}

// -----

#grid = #tapestry_index.grid<"d.0" = 2>
#partial = #tapestry_index.layout<[5] partial ["d.0"] on #grid>
#other = #tapestry_index.layout<[5] on #tapestry_index.grid<"d.0" = 3>>
// expected-error@below {{which no collective turns into each other}}
module attributes {comm.programs = [{name = "p", devices = 2 : i64, entry = @tapestry_entry.p, body = @device_program.p, inputs = [], outputs = [], collectives = [{vertex = "C", kind = "all_reduce", type = f32, from = #partial, to = #other, bytes = 40 : i64}], vertices = []}]} {}

// -----

// expected-error@below {{'comm.programs' has 'flops' = "many", expected an i64}}
module attributes {comm.programs = [{name = "p", devices = 2 : i64, entry = @tapestry_entry.p, body = @device_program.p, inputs = [], outputs = [], collectives = [], vertices = [{name = "C", flops = "many"}]}]} {}

// -----

// expected-error@below {{'comm.programs' has 'unread_inputs' = [3], expected a list of strings}}
module attributes {comm.programs = [{name = "p", devices = 2 : i64, entry = @tapestry_entry.p, body = @device_program.p, inputs = [], outputs = [], collectives = [], vertices = [], unread_inputs = [3]}]} {}

// -----

// expected-error@below {{'comm.programs' has 'shape' = [3], expected an array of i64}}
module attributes {comm.programs = [{name = "p", devices = 2 : i64, entry = @tapestry_entry.p, body = @device_program.p, inputs = [], outputs = [], collectives = [], vertices = [], requirements = [{place = "", index = "I", shape = [3], bound = ""}]}]} {}
