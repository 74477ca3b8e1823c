// Each check of the dialect, with its message.
// RUN: smp-opt %s --split-input-file --verify-diagnostics

// Attributes
smp.stage @s(%x: tensor<2x3xf32>) attributes {partition = 0 : i64} {
  // expected-error @+1 {{'smp.abs' op smp.placement is 1 : i64; write #smp.placement<0, user>}}
  %0 = smp.abs %x {smp.placement = 1 : i64} : tensor<2x3xf32>
  smp.return
}

// -----

smp.stage @s(%x: tensor<2x3xf32>) attributes {partition = 0 : i64} {
  // expected-error @+1 {{'smp.abs' op smp.seconds is -1.000000e+00 : f64; it must be a finite f64 of 0 at least}}
  %0 = smp.abs %x {smp.seconds = -1.0 : f64} : tensor<2x3xf32>
  smp.return
}

// -----

// expected-error @+1 {{'smp.entry' op smp.weight is 1 : i64; it must be a finite f64 of 0 at least}}
smp.entry @e() attributes {smp.weight = 1 : i64} {
  smp.return
}

// -----

// expected-error @+1 {{'smp.entry' op smp.weight is 0x7FF8000000000000 : f64; it must be a finite f64 of 0 at least}}
smp.entry @e() attributes {smp.weight = 0x7FF8000000000000 : f64} {
  smp.return
}

// -----

// expected-error @+1 {{'builtin.module' op smp.targets is []; write [#smp.target<"cpu">]}}
module attributes {smp.targets = []} {}

// -----

// expected-error @+1 {{'builtin.module' op smp.targets is ["cpu"]; write [#smp.target<"cpu">]}}
module attributes {smp.targets = ["cpu"]} {}

// -----

// expected-error @+1 {{'builtin.module' op has 2 targets for 3 partitions (smp.partitions); give one for all, or one for each}}
module attributes {smp.partitions = 3 : i64, smp.targets = [#smp.target<"a">, #smp.target<"b">]} {}

// -----

// expected-error @+1 {{'builtin.module' op has 2 targets for 1 partitions (smp.partitions); give one for all, or one for each}}
module attributes {smp.targets = [#smp.target<"a">, #smp.target<"b">]} {}

// -----

// expected-error @+1 {{a target has an empty name}}
module attributes {smp.targets = [#smp.target<"">]} {}

// -----

// expected-error @+1 {{target 'a' keeps [1] whole; it must be a list of composites, as ["softmax"]}}
module attributes {smp.targets = [#smp.target<"a", whole = [1]>]} {}

// -----

// expected-error @+1 {{target 'a' keeps ["softmax", "add"] whole; it must be a list of composites, as ["softmax"]}}
module attributes {smp.targets = [#smp.target<"a", whole = ["softmax", "add"]>]} {}

// -----

module attributes {smp.partitions = 2 : i64, smp.targets = [#smp.target<"a">, #smp.target<"b">]} {
// expected-error @+1 {{'smp.stage' op is on partition 2 of 2}}
smp.stage @s() attributes {partition = 2 : i64} {
  smp.return
}
}

// -----

// expected-error @+1 {{target 'a' fuses ["loop"]; it must be a list of #smp.strategy<...>}}
module attributes {smp.targets = [#smp.target<"a", fused = ["loop"]>]} {}

// -----

// expected-error @+1 {{target 'a' has packed_bytes = 4; it must be a multiple of 8 from 0 to 1048576}}
module attributes {smp.targets = [#smp.target<"a", packed_bytes = 4>]} {}

// -----

// expected-error @+1 {{target 'a' has group_ops = 0; it must be >= 1}}
module attributes {smp.targets = [#smp.target<"a", group_ops = 0>]} {}

// -----

// expected-error @+1 {{target 'a' takes -1 ns to launch or transfer; it must be >= 0}}
module attributes {smp.targets = [#smp.target<"a", launch_ns = -1>]} {}

// -----

// expected-error @+1 {{'builtin.module' op smp.partitions is 0 : i64; it must be >= 1 and <= 4096}}
module attributes {smp.partitions = 0 : i64} {}

// -----

smp.stage @s(%x: tensor<2x3xf32>) attributes {partition = 0 : i64} {
  // expected-error @+1 {{partition -1 is negative; write 0, 1, ... or all}}
  %0 = smp.abs %x {smp.placement = #smp.placement<-1, user>} : tensor<2x3xf32>
  smp.return
}

// -----

smp.stage @s(%x: tensor<2x3xf32>) attributes {partition = 0 : i64} {
  // expected-error @+1 {{'mean' is no reduce}}
  %0 = smp.reduce mean %x {dimensions = array<i64: 0>} : (tensor<2x3xf32>) -> tensor<3xf32>
  smp.return
}

// -----

// expected-error @+1 {{'smp.entry' op argument 0 has no name; give it {smp.name = "..."}}}
smp.entry @e(%x: tensor<4xf32>) {
  smp.return
}

// -----

// expected-error @+1 {{'smp.entry' op argument 1 has the name 'x' of another; names must differ}}
smp.entry @e(%x: tensor<4xf32> {smp.name = "x"}, %y: tensor<4xf32> {smp.name = "x"}) {
  smp.return
}

// -----

// expected-error @+1 {{'smp.entry' op result 0 has smp.join #smp.join<concat> but no smp.batch_axis to be joined along}}
smp.entry @e(%x: tensor<4xf32> {smp.name = "x"})
    -> (tensor<4xf32> {smp.name = "y", smp.join = #smp.join<concat>}) {
  smp.return %x : tensor<4xf32>
}

// -----

// expected-error @+1 {{'smp.entry' op argument 0 has smp.join #smp.join<sum>; write #smp.join<sum>, on a result}}
smp.entry @e(%x: tensor<4xf32> {smp.name = "x", smp.join = #smp.join<sum>})
    -> (tensor<4xf32> {smp.name = "y"}) {
  smp.return %x : tensor<4xf32>
}

// -----

smp.entry @e(%x: tensor<4xf32> {smp.name = "x"})
    // expected-error @+1 {{a join of kind mixed needs a reason: which op mixes rows}}
    -> (tensor<4xf32> {smp.name = "y", smp.join = #smp.join<mixed>}) {
  smp.return %x : tensor<4xf32>
}

// -----

smp.entry @e(%x: tensor<4xf32> {smp.name = "x"})
    // expected-error @+1 {{a join of kind same has no reason to give; only mixed does}}
    -> (tensor<4xf32> {smp.name = "y", smp.join = #smp.join<same, "why">}) {
  smp.return %x : tensor<4xf32>
}

// -----

// expected-error @+1 {{'smp.entry' op result 0 has smp.batch_axis 1 : i64; it must be an i64 in 0..0}}
smp.entry @e(%x: tensor<4xf32> {smp.name = "x"})
    -> (tensor<4xf32> {smp.name = "y", smp.batch_axis = 1 : i64}) {
  smp.return %x : tensor<4xf32>
}

// -----

smp.variable @v parameter : tensor<4xf32> = #smp.splat<0.0>
smp.entry @e(%x: tensor<4xf32> {smp.name = "x"}) {
  smp.assign @v, %x : tensor<4xf32>
  // expected-error @+1 {{'smp.assign' op is a second assignment to 'v'; an entry assigns a variable at most once}}
  smp.assign @v, %x : tensor<4xf32>
  smp.return
}

// -----

smp.entry @e(%x: tensor<4xf32> {smp.name = "x"}) -> (tensor<8xf32> {smp.name = "y"}) {
  // expected-error @+1 {{'smp.return' op returns ('tensor<4xf32>') but smp.entry is declared with ('tensor<8xf32>')}}
  smp.return %x : tensor<4xf32>
}

// -----

// expected-error @+1 {{'smp.variable' op has the initializer 0.000000e+00 : f64; use #smp.stored, #smp.splat, #smp.normal or #smp.uniform}}
smp.variable @v parameter : tensor<4xf32> = 0.0 : f64

// -----

// expected-error @+1 {{'smp.variable' op draws random values of type 'tensor<4xi32>'; only floats can be}}
smp.variable @v parameter : tensor<4xi32> = #smp.normal<0.0, 1.0, 7>

// -----

// expected-error @+1 {{'weight' is no kind}}
smp.variable @v weight : tensor<4xi32> = #smp.splat<0.0>

// -----

smp.stage @s() attributes {partition = 0 : i64} {
  // expected-error @+1 {{'smp.read' op names @v, which is no variable of the module}}
  %0 = smp.read @v : tensor<4xf32>
  smp.return
}

// -----

// expected-note @+1 {{declared here}}
smp.variable @v parameter : tensor<4xf32> = #smp.splat<0.0>
smp.entry @e() {
  // expected-error @+1 {{'smp.read' op has type 'tensor<8xf32>' but variable 'v' is 'tensor<4xf32>'}}
  %0 = smp.read @v : tensor<8xf32>
  smp.return
}

// -----

smp.variable @v constant : tensor<4xf32> = #smp.splat<0.0>
smp.entry @e(%x: tensor<4xf32> {smp.name = "x"}) {
  // expected-error @+1 {{'smp.assign' op assigns 'v', which is of kind constant}}
  smp.assign @v, %x : tensor<4xf32>
  smp.return
}

// -----

smp.stage @s(%x: tensor<4xf32>) attributes {partition = 0 : i64} {
  smp.return
}
smp.entry @e(%x: tensor<8xf32> {smp.name = "x"}) {
  // expected-error @+1 {{'smp.run' op does not fit stage 's' of type '(tensor<4xf32>) -> ()'}}
  smp.run @s(%x) : (tensor<8xf32>) -> ()
  smp.return
}

// -----

smp.entry @e() {
  // expected-error @+1 {{'smp.run' op names @e, which is no stage of the module}}
  smp.run @e() : () -> ()
  smp.return
}

// -----

smp.stage @s(%x: tensor<4xf32>) -> tensor<4xf32> attributes {partition = 0 : i64} {
  smp.return %x : tensor<4xf32>
}
smp.entry @e() {
  // expected-error @+1 {{'smp.prepared' op takes a result of 's', which is no prepare stage}}
  %0 = smp.prepared @s[0] : tensor<4xf32>
  smp.return
}

// -----

smp.stage @s() attributes {partition = 0 : i64, unit = #smp.unit<prepare>} {
  smp.return
}
smp.entry @e() {
  // expected-error @+1 {{'smp.prepared' op takes result 0 of 's' as 'tensor<4xf32>'; it has ()}}
  %0 = smp.prepared @s[0] : tensor<4xf32>
  smp.return
}

// -----

smp.variable @w parameter : tensor<4xf32> = #smp.splat<0.0>
smp.stage @s(%x: tensor<4xf32>) attributes {partition = 0 : i64} {
  // expected-error @+1 {{'smp.group' op has a smp.read, which no kernel computes}}
  %0 = smp.group loop(%x) : (tensor<4xf32>) -> (tensor<4xf32>) {
  ^bb0(%a0: tensor<4xf32>):
    %1 = smp.read @w : tensor<4xf32>
    smp.return %1 : tensor<4xf32>
  }
  smp.return
}

// -----

smp.stage @s(%x: tensor<4xf32>) attributes {partition = 0 : i64} {
  // expected-error @+1 {{'smp.group' op gives something else than its smp.gelu}}
  %0 = smp.group whole(%x) : (tensor<4xf32>) -> (tensor<4xf32>) {
  ^bb0(%a0: tensor<4xf32>):
    %1 = smp.gelu %a0 : tensor<4xf32>
    %2 = smp.exp %1 : tensor<4xf32>
    smp.return %2 : tensor<4xf32>
  }
  smp.return
}

// -----

smp.stage @s(%x: tensor<4xf32>) attributes {partition = 0 : i64} {
  // expected-error @+1 {{'smp.group' op has a smp.gelu, which no kernel computes}}
  %0 = smp.group loop(%x) : (tensor<4xf32>) -> (tensor<4xf32>) {
  ^bb0(%a0: tensor<4xf32>):
    %1 = smp.gelu %a0 : tensor<4xf32>
    smp.return %1 : tensor<4xf32>
  }
  smp.return
}

// -----

smp.stage @s(%x: tensor<4xf32>) attributes {partition = 0 : i64} {
  // expected-error @+1 {{'smp.group' op is of strategy loop and has a smp.scan, whose strategy is scan}}
  %0 = smp.group loop(%x) : (tensor<4xf32>) -> (tensor<4xf32>) {
  ^bb0(%a0: tensor<4xf32>):
    %1 = smp.scan sum %a0 {axis = 0 : i64} : tensor<4xf32>
    smp.return %1 : tensor<4xf32>
  }
  smp.return
}

// -----

smp.stage @s(%x: tensor<4xf32>) attributes {partition = 0 : i64} {
  // expected-error @+1 {{'smp.group' op is of strategy scan and has 0 ops of it; it must have one}}
  %0 = smp.group scan(%x) : (tensor<4xf32>) -> (tensor<4xf32>) {
  ^bb0(%a0: tensor<4xf32>):
    %1 = smp.exp %a0 : tensor<4xf32>
    smp.return %1 : tensor<4xf32>
  }
  smp.return
}

// -----

smp.stage @s(%x: tensor<4xf32>) attributes {partition = 0 : i64} {
  // expected-error @+1 {{'smp.group' op gives something else than its smp.scan}}
  %0 = smp.group scan(%x) : (tensor<4xf32>) -> (tensor<4xf32>) {
  ^bb0(%a0: tensor<4xf32>):
    %1 = smp.scan sum %a0 {axis = 0 : i64} : tensor<4xf32>
    %2 = smp.exp %1 : tensor<4xf32>
    smp.return %2 : tensor<4xf32>
  }
  smp.return
}

// -----

smp.stage @s(%x: tensor<4xf32>) attributes {partition = 0 : i64} {
  // expected-error @+1 {{'smp.group' op loops over results of different shapes}}
  %0:2 = smp.group loop(%x) : (tensor<4xf32>) -> (tensor<4xf32>, tensor<2x2xf32>) {
  ^bb0(%a0: tensor<4xf32>):
    %1 = smp.exp %a0 : tensor<4xf32>
    %2 = smp.reshape %1 : tensor<4xf32> to tensor<2x2xf32>
    smp.return %1, %2 : tensor<4xf32>, tensor<2x2xf32>
  }
  smp.return
}

// -----

smp.stage @s(%x: tensor<4xf32>) attributes {partition = 0 : i64} {
  // expected-error @+1 {{'smp.group' op has a smp.concat of what it computes itself}}
  %0 = smp.group concat(%x) : (tensor<4xf32>) -> (tensor<8xf32>) {
  ^bb0(%a0: tensor<4xf32>):
    %1 = smp.exp %a0 : tensor<4xf32>
    %2 = smp.concat %1, %a0 {axis = 0 : i64} : (tensor<4xf32>, tensor<4xf32>) -> tensor<8xf32>
    smp.return %2 : tensor<8xf32>
  }
  smp.return
}

// -----

smp.stage @s(%x: tensor<4x2xf32>, %y: tensor<2x4xf32>) attributes {partition = 0 : i64} {
  // expected-error @+1 {{'smp.group' op has rows of different shapes}}
  %0:2 = smp.group row(%x, %y) : (tensor<4x2xf32>, tensor<2x4xf32>) -> (tensor<4xf32>, tensor<2xf32>) {
  ^bb0(%a0: tensor<4x2xf32>, %a1: tensor<2x4xf32>):
    %1 = smp.reduce sum %a0 {dimensions = array<i64: 1>} : (tensor<4x2xf32>) -> tensor<4xf32>
    %2 = smp.reduce sum %a1 {dimensions = array<i64: 1>} : (tensor<2x4xf32>) -> tensor<2xf32>
    smp.return %1, %2 : tensor<4xf32>, tensor<2xf32>
  }
  smp.return
}

// -----

smp.stage @s(%x: tensor<4xf32>) attributes {partition = 0 : i64} {
  // expected-error @+1 {{'smp.group' op has no result}}
  smp.group loop(%x) : (tensor<4xf32>) -> () {
  ^bb0(%a0: tensor<4xf32>):
    smp.return
  }
  smp.return
}

// -----

// Sums stay in registers.
smp.stage @s(%x: tensor<4x8xf32>, %p: tensor<256xf32>) attributes {partition = 0 : i64} {
  // expected-error @+1 {{'smp.group' op has a smp.reduce of the sums of its smp.packed_matmul}}
  %0 = smp.group product(%x, %p) : (tensor<4x8xf32>, tensor<256xf32>) -> (tensor<20xf32>) {
  ^bb0(%a0: tensor<4x8xf32>, %a1: tensor<256xf32>):
    %1 = smp.packed_matmul %a0, %a1 {columns = 20 : i64} : (tensor<4x8xf32>, tensor<256xf32>) -> tensor<4x20xf32>
    %2 = smp.reduce sum %1 {dimensions = array<i64: 0>} : (tensor<4x20xf32>) -> tensor<20xf32>
    smp.return %2 : tensor<20xf32>
  }
  smp.return
}

// -----

// What is packed lies in memory.
smp.stage @s(%x: tensor<4x8xf32>, %p: tensor<256xf32>) attributes {partition = 0 : i64} {
  // expected-error @+1 {{'smp.group' op has a smp.packed_matmul by what it computes itself}}
  %0 = smp.group product(%x, %p) : (tensor<4x8xf32>, tensor<256xf32>) -> (tensor<4x20xf32>) {
  ^bb0(%a0: tensor<4x8xf32>, %a1: tensor<256xf32>):
    %n = smp.neg %a1 : tensor<256xf32>
    %1 = smp.packed_matmul %a0, %n {columns = 20 : i64} : (tensor<4x8xf32>, tensor<256xf32>) -> tensor<4x20xf32>
    smp.return %1 : tensor<4x20xf32>
  }
  smp.return
}

// -----

// A kernel stores what it is built around.
smp.stage @s(%x: tensor<4x8xf32>, %p: tensor<256xf32>, %z: tensor<3xf32>) attributes {partition = 0 : i64} {
  // expected-error @+1 {{'smp.group' op gives what does not follow from its smp.packed_matmul}}
  %0 = smp.group product(%x, %p, %z) : (tensor<4x8xf32>, tensor<256xf32>, tensor<3xf32>) -> (tensor<3xf32>) {
  ^bb0(%a0: tensor<4x8xf32>, %a1: tensor<256xf32>, %a2: tensor<3xf32>):
    %1 = smp.packed_matmul %a0, %a1 {columns = 20 : i64} : (tensor<4x8xf32>, tensor<256xf32>) -> tensor<4x20xf32>
    %2 = smp.neg %a2 : tensor<3xf32>
    smp.return %2 : tensor<3xf32>
  }
  smp.return
}

// -----

// A row kernel stores rows, or a value per row.
smp.stage @s(%x: tensor<4x8xf32>, %z: tensor<9xf32>) attributes {partition = 0 : i64} {
  // expected-error @+1 {{'smp.group' op has rows of different shapes}}
  %0:2 = smp.group row(%x, %z) : (tensor<4x8xf32>, tensor<9xf32>) -> (tensor<4xf32>, tensor<9xf32>) {
  ^bb0(%a0: tensor<4x8xf32>, %a1: tensor<9xf32>):
    %1 = smp.reduce sum %a0 {dimensions = array<i64: 1>} : (tensor<4x8xf32>) -> tensor<4xf32>
    %2 = smp.neg %a1 : tensor<9xf32>
    smp.return %1, %2 : tensor<4xf32>, tensor<9xf32>
  }
  smp.return
}

// -----

// Each result is stored once.
smp.stage @s(%x: tensor<4xf32>) attributes {partition = 0 : i64} {
  // expected-error @+1 {{'smp.group' op gives something else than its smp.scan}}
  %0:2 = smp.group scan(%x) : (tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>) {
  ^bb0(%a0: tensor<4xf32>):
    %1 = smp.scan sum %a0 {axis = 0 : i64} : tensor<4xf32>
    smp.return %1, %1 : tensor<4xf32>, tensor<4xf32>
  }
  smp.return
}

// -----

// What is in a group is sound itself.
smp.stage @s(%x: tensor<4xf32>) attributes {partition = 0 : i64} {
  %0 = smp.group row(%x) : (tensor<4xf32>) -> tensor<f32> {
  ^bb0(%a0: tensor<4xf32>):
    // expected-error @+1 {{'smp.reduce' op}}
    %1 = "smp.reduce"(%a0) : (tensor<4xf32>) -> tensor<f32>
    smp.return %1 : tensor<f32>
  }
  smp.return
}

// -----

// expected-error @+1 {{smp.arena_bytes is -1 : i64; it must be an i64 of 0 at least}}
smp.stage @s() attributes {partition = 0 : i64, smp.arena_bytes = -1 : i64} {
  smp.return
}

// -----

// expected-error @+1 {{smp.offsets is 3 : i64; write array<i64: 0, -1>}}
smp.stage @s() attributes {partition = 0 : i64, smp.offsets = 3 : i64} {
  smp.return
}

// -----

smp.stage @s(%x: tensor<4xf32>) attributes {partition = 0 : i64} {
  // expected-error @+1 {{'smp.group' op has operands of types ('tensor<4xf32>') but a body over ()}}
  %0 = smp.group loop(%x) : (tensor<4xf32>) -> tensor<4xf32> {
    %1 = smp.constant dense<0.0> : tensor<4xf32>
    smp.return %1 : tensor<4xf32>
  }
  smp.return
}

// -----

// Shapes
smp.stage @s() attributes {partition = 0 : i64} {
  // expected-error @+1 {{'smp.iota' op counts along dimension 2 of a tensor of rank 2}}
  %0 = smp.iota 2 : tensor<2x3xi64>
  smp.return
}

// -----

smp.stage @s(%x: tensor<2x3xf32>) attributes {partition = 0 : i64} {
  // expected-error @+1 {{'smp.reshape' op turns 6 elements ('tensor<2x3xf32>') into 7 ('tensor<7xf32>')}}
  %0 = smp.reshape %x : tensor<2x3xf32> to tensor<7xf32>
  smp.return
}

// -----

smp.stage @s(%x: tensor<2x3xf32>) attributes {partition = 0 : i64} {
  // expected-error @+2 {{permutation [1, 1] does not reorder the 2 dimensions of 'tensor<2x3xf32>'}}
  // expected-error @+1 {{failed to infer returned types}}
  %0 = smp.transpose %x {permutation = array<i64: 1, 1>} : (tensor<2x3xf32>) -> tensor<3x2xf32>
  smp.return
}

// -----

smp.stage @s(%x: tensor<2x3xf32>) attributes {partition = 0 : i64} {
  // expected-error @+2 {{needs 2 starts, limits and strides for 'tensor<2x3xf32>'}}
  // expected-error @+1 {{failed to infer returned types}}
  %0 = smp.slice %x {starts = array<i64: 0>, limits = array<i64: 1>, strides = array<i64: 1>} : (tensor<2x3xf32>) -> tensor<2x3xf32>
  smp.return
}

// -----

smp.stage @s(%x: tensor<2x3xf32>) attributes {partition = 0 : i64} {
  // expected-error @+2 {{slices 2:4:1 from dimension 1 of size 3}}
  // expected-error @+1 {{failed to infer returned types}}
  %0 = smp.slice %x {starts = array<i64: 0, 2>, limits = array<i64: 1, 4>, strides = array<i64: 1, 1>} : (tensor<2x3xf32>) -> tensor<2x3xf32>
  smp.return
}

// -----

smp.stage @s(%x: tensor<2x3xf32>) attributes {partition = 0 : i64} {
  // expected-error @+1 {{'smp.reverse' op dimensions [0, 0] must be distinct and in 0..1}}
  %0 = smp.reverse %x {dimensions = array<i64: 0, 0>} : tensor<2x3xf32>
  smp.return
}

// -----

smp.stage @s(%x: tensor<2x3xf32>) attributes {partition = 0 : i64} {
  // expected-error @+2 {{fills 'tensor<2x3xf32>' with 'tensor<2x3xf32>'; the fill is a scalar of the same element type}}
  // expected-error @+1 {{failed to infer returned types}}
  %0 = smp.pad %x, %x {low = array<i64: 0, 0>, high = array<i64: 0, 0>, interior = array<i64: 0, 0>} : (tensor<2x3xf32>, tensor<2x3xf32>) -> tensor<2x3xf32>
  smp.return
}

// -----

smp.stage @s(%x: tensor<2x3xf32>, %v: tensor<f32>) attributes {partition = 0 : i64} {
  // expected-error @+2 {{needs 2 low, high and interior paddings for 'tensor<2x3xf32>'}}
  // expected-error @+1 {{failed to infer returned types}}
  %0 = smp.pad %x, %v {low = array<i64: 0>, high = array<i64: 0, 0>, interior = array<i64: 0, 0>} : (tensor<2x3xf32>, tensor<f32>) -> tensor<2x3xf32>
  smp.return
}

// -----

smp.stage @s(%x: tensor<2x3xf32>, %v: tensor<f32>) attributes {partition = 0 : i64} {
  // expected-error @+2 {{cannot pad dimension 1 of size 3 by low 3, high 0, interior 0 in mode reflect}}
  // expected-error @+1 {{failed to infer returned types}}
  %0 = smp.pad %x, %v {low = array<i64: 0, 3>, high = array<i64: 0, 0>, interior = array<i64: 0, 0>, mode = #smp.pad_mode<reflect>} : (tensor<2x3xf32>, tensor<f32>) -> tensor<2x3xf32>
  smp.return
}

// -----

smp.stage @s() attributes {partition = 0 : i64} {
  // expected-error @+2 {{joins nothing}}
  // expected-error @+1 {{failed to infer returned types}}
  %0 = smp.concat {axis = 0 : i64} : () -> tensor<2x3xf32>
  smp.return
}

// -----

smp.stage @s(%x: tensor<2x3xf32>) attributes {partition = 0 : i64} {
  // expected-error @+2 {{joins along axis 2 of tensors of rank 2}}
  // expected-error @+1 {{failed to infer returned types}}
  %0 = smp.concat %x {axis = 2 : i64} : (tensor<2x3xf32>) -> tensor<2x3xf32>
  smp.return
}

// -----

smp.stage @s(%x: tensor<2x3xf32>, %y: tensor<2x4xf32>) attributes {partition = 0 : i64} {
  // expected-error @+2 {{cannot join 'tensor<2x4xf32>' to 'tensor<2x3xf32>' along axis 0}}
  // expected-error @+1 {{failed to infer returned types}}
  %0 = smp.concat %x, %y {axis = 0 : i64} : (tensor<2x3xf32>, tensor<2x4xf32>) -> tensor<4x3xf32>
  smp.return
}

// -----

smp.stage @s(%v: tensor<3xf32>) attributes {partition = 0 : i64} {
  // expected-error @+1 {{'smp.broadcast' op maps 0 dimensions of a rank 1 tensor}}
  %0 = smp.broadcast %v {dimensions = array<i64>} : tensor<3xf32> to tensor<2x3xf32>
  smp.return
}

// -----

smp.stage @s(%v: tensor<3xf32>) attributes {partition = 0 : i64} {
  // expected-error @+1 {{'smp.broadcast' op dimensions [2] must ascend within 0..1}}
  %0 = smp.broadcast %v {dimensions = array<i64: 2>} : tensor<3xf32> to tensor<2x3xf32>
  smp.return
}

// -----

smp.stage @s(%v: tensor<3xf32>) attributes {partition = 0 : i64} {
  // expected-error @+1 {{'smp.broadcast' op cannot stretch dimension 0 of size 3 to size 2}}
  %0 = smp.broadcast %v {dimensions = array<i64: 0>} : tensor<3xf32> to tensor<2x3xf32>
  smp.return
}

// -----

// Contractions
smp.stage @s(%a: tensor<4x8xf32>, %b: tensor<8x16xf32>, %h: tensor<8x16xf16>) attributes {partition = 0 : i64} {
  // expected-error @+2 {{multiplies 'tensor<4x8xf32>' by 'tensor<8x16xf16>'; element types must agree}}
  // expected-error @+1 {{failed to infer returned types}}
  %0 = smp.dot_general %a, %h {lhs_batch = array<i64>, rhs_batch = array<i64>, lhs_contract = array<i64: 1>, rhs_contract = array<i64: 0>} : (tensor<4x8xf32>, tensor<8x16xf16>) -> tensor<4x16xf32>
  smp.return
}

// -----

smp.stage @s(%a: tensor<4x8xf32>, %b: tensor<8x16xf32>, %h: tensor<8x16xf16>) attributes {partition = 0 : i64} {
  // expected-error @+2 {{batch and contracting dimensions must be distinct dimensions of 'tensor<4x8xf32>' and 'tensor<8x16xf32>'}}
  // expected-error @+1 {{failed to infer returned types}}
  %0 = smp.dot_general %a, %b {lhs_batch = array<i64: 1>, rhs_batch = array<i64: 0>, lhs_contract = array<i64: 1>, rhs_contract = array<i64: 0>} : (tensor<4x8xf32>, tensor<8x16xf32>) -> tensor<4x16xf32>
  smp.return
}

// -----

smp.stage @s(%a: tensor<4x8xf32>, %b: tensor<8x16xf32>, %h: tensor<8x16xf16>) attributes {partition = 0 : i64} {
  // expected-error @+2 {{has 1 lhs but 0 rhs contracting dimensions}}
  // expected-error @+1 {{failed to infer returned types}}
  %0 = smp.dot_general %a, %b {lhs_batch = array<i64>, rhs_batch = array<i64>, lhs_contract = array<i64: 1>, rhs_contract = array<i64>} : (tensor<4x8xf32>, tensor<8x16xf32>) -> tensor<4x16xf32>
  smp.return
}

// -----

smp.stage @s(%a: tensor<4x8xf32>, %b: tensor<8x16xf32>, %h: tensor<8x16xf16>) attributes {partition = 0 : i64} {
  // expected-error @+2 {{batch dimension 0 of lhs has size 4, dimension 1 of rhs has 16}}
  // expected-error @+1 {{failed to infer returned types}}
  %0 = smp.dot_general %a, %b {lhs_batch = array<i64: 0>, rhs_batch = array<i64: 1>, lhs_contract = array<i64: 1>, rhs_contract = array<i64: 0>} : (tensor<4x8xf32>, tensor<8x16xf32>) -> tensor<4x16xf32>
  smp.return
}

// -----

smp.stage @s(%x: tensor<1x4x9x9xf32>, %w: tensor<6x2x3xf32>) attributes {partition = 0 : i64} {
  // expected-error @+2 {{convolves 'tensor<1x4x9x9xf32>' with 'tensor<6x2x3xf32>'; both need the same rank >= 3 and element type}}
  // expected-error @+1 {{failed to infer returned types}}
  %0 = smp.conv %x, %w {strides = array<i64: 1, 1>, low = array<i64: 0, 0>, high = array<i64: 0, 0>, dilations = array<i64: 1, 1>, groups = 2 : i64} : (tensor<1x4x9x9xf32>, tensor<6x2x3xf32>) -> tensor<1x6x7x7xf32>
  smp.return
}

// -----

smp.stage @s(%x: tensor<1x4x9x9xf32>, %w: tensor<6x2x3x3xf32>) attributes {partition = 0 : i64} {
  // expected-error @+2 {{has 4 input features, 3 groups and a filter for 2 features each}}
  // expected-error @+1 {{failed to infer returned types}}
  %0 = smp.conv %x, %w {strides = array<i64: 1, 1>, low = array<i64: 0, 0>, high = array<i64: 0, 0>, dilations = array<i64: 1, 1>, groups = 3 : i64} : (tensor<1x4x9x9xf32>, tensor<6x2x3x3xf32>) -> tensor<1x6x7x7xf32>
  smp.return
}

// -----

smp.stage @s(%x: tensor<1x4x9x9xf32>, %w: tensor<5x2x3x3xf32>) attributes {partition = 0 : i64} {
  // expected-error @+2 {{has 5 output features, not a multiple of its 2 groups}}
  // expected-error @+1 {{failed to infer returned types}}
  %0 = smp.conv %x, %w {strides = array<i64: 1, 1>, low = array<i64: 0, 0>, high = array<i64: 0, 0>, dilations = array<i64: 1, 1>, groups = 2 : i64} : (tensor<1x4x9x9xf32>, tensor<5x2x3x3xf32>) -> tensor<1x6x7x7xf32>
  smp.return
}

// -----

smp.stage @s(%x: tensor<1x4x9x9xf32>, %w: tensor<6x2x3x3xf32>) attributes {partition = 0 : i64} {
  // expected-error @+2 {{has 1 window attributes for 2 spatial dimensions}}
  // expected-error @+1 {{failed to infer returned types}}
  %0 = smp.conv %x, %w {strides = array<i64: 1>, low = array<i64: 0, 0>, high = array<i64: 0, 0>, dilations = array<i64: 1, 1>, groups = 2 : i64} : (tensor<1x4x9x9xf32>, tensor<6x2x3x3xf32>) -> tensor<1x6x7x7xf32>
  smp.return
}

// -----

smp.stage @s(%x: tensor<1x4x9x9xf32>, %w: tensor<6x2x3x3xf32>) attributes {partition = 0 : i64} {
  // expected-error @+2 {{spatial dimension 1 has window 3, stride 0, dilation 1; each must be >= 1}}
  // expected-error @+1 {{failed to infer returned types}}
  %0 = smp.conv %x, %w {strides = array<i64: 1, 0>, low = array<i64: 0, 0>, high = array<i64: 0, 0>, dilations = array<i64: 1, 1>, groups = 2 : i64} : (tensor<1x4x9x9xf32>, tensor<6x2x3x3xf32>) -> tensor<1x6x7x7xf32>
  smp.return
}

// -----

smp.stage @s(%x: tensor<1x4x9x9xf32>, %w: tensor<6x2x3x3xf32>) attributes {partition = 0 : i64} {
  // expected-error @+2 {{spatial dimension 0 has padded size 9, less than the window's 11}}
  // expected-error @+1 {{failed to infer returned types}}
  %0 = smp.conv %x, %w {strides = array<i64: 1, 1>, low = array<i64: 0, 0>, high = array<i64: 0, 0>, dilations = array<i64: 5, 1>, groups = 2 : i64} : (tensor<1x4x9x9xf32>, tensor<6x2x3x3xf32>) -> tensor<1x6x7x7xf32>
  smp.return
}

// -----

smp.stage @s(%x: tensor<4x4xf32>) attributes {partition = 0 : i64} {
  // expected-error @+2 {{slides a window over 'tensor<4x4xf32>'; it needs rank >= 3}}
  // expected-error @+1 {{failed to infer returned types}}
  %0 = smp.avg_pool %x {window = array<i64>, strides = array<i64>, low = array<i64>, high = array<i64>, dilations = array<i64>} : (tensor<4x4xf32>) -> tensor<4x4xf32>
  smp.return
}

// -----

smp.stage @s(%x: tensor<2x3xf32>) attributes {partition = 0 : i64} {
  // expected-error @+2 {{dimensions [0, 0] must be distinct dimensions of 'tensor<2x3xf32>'}}
  // expected-error @+1 {{failed to infer returned types}}
  %0 = smp.reduce sum %x {dimensions = array<i64: 0, 0>} : (tensor<2x3xf32>) -> tensor<3xf32>
  smp.return
}

// -----

smp.stage @s(%p: tensor<2xi1>) attributes {partition = 0 : i64} {
  // expected-error @+2 {{cannot combine i1 by sum; use max (or) or min (and)}}
  // expected-error @+1 {{failed to infer returned types}}
  %0 = smp.reduce sum %p {dimensions = array<i64: 0>} : (tensor<2xi1>) -> tensor<i1>
  smp.return
}

// -----

smp.stage @s(%x: tensor<2x0xf32>) attributes {partition = 0 : i64} {
  // expected-error @+2 {{axis 1 must be a non-empty dimension of 'tensor<2x0xf32>'}}
  // expected-error @+1 {{failed to infer returned types}}
  %0 = smp.arg_reduce max %x {axis = 1 : i64} : (tensor<2x0xf32>) -> tensor<2xi64>
  smp.return
}

// -----

smp.stage @s(%x: tensor<2x3xf32>) attributes {partition = 0 : i64} {
  // expected-error @+2 {{kind sum has no position; use max or min}}
  // expected-error @+1 {{failed to infer returned types}}
  %0 = smp.arg_reduce sum %x {axis = 1 : i64} : (tensor<2x3xf32>) -> tensor<2xi64>
  smp.return
}

// -----

smp.stage @s(%x: tensor<2x3xf32>) attributes {partition = 0 : i64} {
  // expected-error @+1 {{'smp.scan' op runs along axis -1 of a tensor of rank 2}}
  %0 = smp.scan sum %x {axis = -1 : i64} : tensor<2x3xf32>
  smp.return
}

// -----

// Indexing
smp.stage @s(%t: tensor<10x4xf32>, %i: tensor<3xi64>, %e: tensor<11x2xi64>, %n: tensor<3x1xi64>, %u: tensor<11x2xf32>, %r: tensor<3x4xf32>) attributes {partition = 0 : i64} {
  // expected-error @+2 {{gathers along axis 2 of 'tensor<10x4xf32>'}}
  // expected-error @+1 {{failed to infer returned types}}
  %0 = smp.gather %t, %i {axis = 2 : i64} : (tensor<10x4xf32>, tensor<3xi64>) -> tensor<3x4xf32>
  smp.return
}

// -----

smp.stage @s(%t: tensor<10x4xf32>, %i: tensor<3xi64>, %e: tensor<11x2xi64>, %n: tensor<3x1xi64>, %u: tensor<11x2xf32>, %r: tensor<3x4xf32>) attributes {partition = 0 : i64} {
  // expected-error @+2 {{gathers along axis 1 of 'tensor<10x4xf32>' with indices 'tensor<11x2xi64>'; ranks must agree and no other dimension be larger}}
  // expected-error @+1 {{failed to infer returned types}}
  %0 = smp.gather_elements %t, %e {axis = 1 : i64} : (tensor<10x4xf32>, tensor<11x2xi64>) -> tensor<11x2xf32>
  smp.return
}

// -----

smp.stage @s(%t: tensor<10x4xf32>, %i: tensor<3xi64>, %e: tensor<11x2xi64>, %n: tensor<3x1xi64>, %u: tensor<11x2xf32>, %r: tensor<3x4xf32>) attributes {partition = 0 : i64} {
  // expected-error @+2 {{has index tuples 'tensor<3x1xi64>' into 'tensor<10x4xf32>' with 2 batch dimensions; the tuple must fit the input's dimensions}}
  // expected-error @+1 {{failed to infer returned types}}
  %0 = smp.gather_nd %t, %n {batch_dims = 2 : i64} : (tensor<10x4xf32>, tensor<3x1xi64>) -> tensor<3x4xf32>
  smp.return
}

// -----

smp.stage @s(%t: tensor<10x4xf32>, %i: tensor<3xi64>, %e: tensor<11x2xi64>, %n: tensor<3x1xi64>, %u: tensor<11x2xf32>, %r: tensor<3x4xf32>) attributes {partition = 0 : i64} {
  // expected-error @+2 {{has batch dimensions that differ: 'tensor<10x4xf32>' and 'tensor<3x1xi64>'}}
  // expected-error @+1 {{failed to infer returned types}}
  %0 = smp.gather_nd %t, %n {batch_dims = 1 : i64} : (tensor<10x4xf32>, tensor<3x1xi64>) -> tensor<3xf32>
  smp.return
}

// -----

smp.stage @s(%t: tensor<10x4xf32>, %i: tensor<3xi64>, %e: tensor<11x2xi64>, %n: tensor<3x1xi64>, %u: tensor<11x2xf32>, %r: tensor<3x4xf32>) attributes {partition = 0 : i64} {
  // expected-error @+1 {{'smp.scatter_elements' op scatters 'tensor<11x2xf32>' along axis 1 of 'tensor<10x4xf32>'; ranks must agree and no other dimension be larger}}
  %0 = smp.scatter_elements %t, %e, %u {axis = 1 : i64, kind = #smp.scatter_kind<sum>} : (tensor<10x4xf32>, tensor<11x2xi64>, tensor<11x2xf32>) -> tensor<10x4xf32>
  smp.return
}

// -----

smp.stage @s(%t: tensor<10x4xf32>, %i: tensor<3xi64>, %e: tensor<11x2xi64>, %n: tensor<3x1xi64>, %u: tensor<11x2xf32>, %r: tensor<3x4xf32>) attributes {partition = 0 : i64} {
  // expected-error @+1 {{'smp.scatter_nd' op has updates 'tensor<11x2xf32>'; their shape must be [3, 4]}}
  %0 = smp.scatter_nd %t, %n, %u {kind = #smp.scatter_kind<sum>} : (tensor<10x4xf32>, tensor<3x1xi64>, tensor<11x2xf32>) -> tensor<10x4xf32>
  smp.return
}

// -----

smp.stage @s(%t: tensor<10x4xf32>, %i: tensor<3xi64>, %e: tensor<11x2xi64>, %n: tensor<3x1xi64>, %u: tensor<11x2xf32>, %r: tensor<3x4xf32>) attributes {partition = 0 : i64} {
  // expected-error @+2 {{takes 5 elements along axis 1 of 'tensor<10x4xf32>'}}
  // expected-error @+1 {{failed to infer returned types}}
  %0:2 = smp.top_k %t {axis = 1 : i64, k = 5 : i64, largest = true} : (tensor<10x4xf32>) -> (tensor<10x5xf32>, tensor<10x5xi64>)
  smp.return
}

// -----

// Composites
smp.stage @s(%x: tensor<2x3xf32>) attributes {partition = 0 : i64} {
  // expected-error @+1 {{'smp.softmax' op axis is 2 for a tensor of rank 2}}
  %0 = smp.softmax %x {axis = 2 : i64} : tensor<2x3xf32>
  smp.return
}

// -----

smp.stage @s(%x: tensor<2x3xf32>) attributes {partition = 0 : i64} {
  // expected-error @+1 {{'smp.log_softmax' op axis is -1 for a tensor of rank 2}}
  %0 = smp.log_softmax %x {axis = -1 : i64} : tensor<2x3xf32>
  smp.return
}

// -----

smp.stage @s(%x: tensor<2x3xf32>, %v: tensor<3xf32>, %w: tensor<2xf32>) attributes {partition = 0 : i64} {
  // expected-error @+1 {{'smp.layer_norm' op bias is 'tensor<2xf32>'; it must have the shape [3] of the normalised dimensions and the input's type}}
  %0 = smp.layer_norm %x, %v, %w {axis = 1 : i64, epsilon = 1.0e-5 : f64} : (tensor<2x3xf32>, tensor<3xf32>, tensor<2xf32>) -> tensor<2x3xf32>
  smp.return
}

// -----

smp.stage @s(%x: tensor<2x3xf32>, %v: tensor<3xf32>, %w: tensor<2xf32>) attributes {partition = 0 : i64} {
  // expected-error @+1 {{'smp.rms_norm' op scale is 'tensor<2xf32>'; it must have the shape [3] of the normalised dimensions and the input's type}}
  %0 = smp.rms_norm %x, %w {axis = 1 : i64, epsilon = 1.0e-5 : f64} : (tensor<2x3xf32>, tensor<2xf32>) -> tensor<2x3xf32>
  smp.return
}

// -----

smp.stage @s(%x: tensor<2x3xf32>, %v: tensor<3xf32>, %w: tensor<2xf32>) attributes {partition = 0 : i64} {
  // expected-error @+1 {{'smp.batch_norm' op mean is 'tensor<2xf32>'; it must be 'tensor<3xf32>'}}
  %0 = smp.batch_norm %x, %v, %v, %w, %v {axis = 1 : i64, epsilon = 1.0e-5 : f64} : (tensor<2x3xf32>, tensor<3xf32>, tensor<3xf32>, tensor<2xf32>, tensor<3xf32>) -> tensor<2x3xf32>
  smp.return
}

// -----

// The result type of an inferred op
smp.stage @s(%x: tensor<2x3xf32>) attributes {partition = 0 : i64} {
  // expected-error @+2 {{'smp.transpose' op inferred type(s) 'tensor<3x2xf32>' are incompatible with return type(s) of operation 'tensor<2x3xf32>'}}
  // expected-error @+1 {{failed to infer returned types}}
  %0 = smp.transpose %x {permutation = array<i64: 1, 0>} : (tensor<2x3xf32>) -> tensor<2x3xf32>
  smp.return
}

// -----

smp.stage @s() attributes {partition = 0 : i64} {
  // expected-error @+1 {{'smp.iota' op result #0 must be statically shaped tensor}}
  %0 = smp.iota 0 : tensor<?xi64>
  smp.return
}

// -----

// Products
smp.stage @s(%a: tensor<8x20xf32>) attributes {partition = 0 : i64} {
  // expected-error @+1 {{packs 'tensor<8x20xf32>'; it must be [products, depth, columns]}}
  %0 = smp.pack %a : (tensor<8x20xf32>) -> tensor<256xf32>
  smp.return
}

// -----

smp.stage @s(%a: tensor<8xf32>, %p: tensor<256xf32>) attributes {partition = 0 : i64} {
  // expected-error @+2 {{multiplies 'tensor<8xf32>'; it must have rank >= 2}}
  // expected-error @+1 {{failed to infer returned types}}
  %0 = smp.packed_matmul %a, %p {columns = 20 : i64} : (tensor<8xf32>, tensor<256xf32>) -> tensor<20xf32>
  smp.return
}

// -----

smp.stage @s(%a: tensor<4x8xf32>, %p: tensor<256xf32>) attributes {partition = 0 : i64} {
  // expected-error @+2 {{has a packed operand 'tensor<256xf32>', which does not hold 1 products of 8 rows and 40 columns in 'f32'}}
  // expected-error @+1 {{failed to infer returned types}}
  %0 = smp.packed_matmul %a, %p {columns = 40 : i64} : (tensor<4x8xf32>, tensor<256xf32>) -> tensor<4x40xf32>
  smp.return
}

// -----

smp.stage @s(%x: tensor<9x4xf32>, %w: tensor<1152xf32>) attributes {partition = 0 : i64} {
  // expected-error @+2 {{convolves 'tensor<9x4xf32>'; it needs rank >= 3}}
  // expected-error @+1 {{failed to infer returned types}}
  %0 = smp.packed_conv %x, %w {features = 6 : i64, groups = 2 : i64, window = array<i64: 3, 3>, strides = array<i64: 1, 1>, low = array<i64: 0, 0>, high = array<i64: 0, 0>, dilations = array<i64: 1, 1>} : (tensor<9x4xf32>, tensor<1152xf32>) -> tensor<7x6xf32>
  smp.return
}

// -----

smp.stage @s(%x: tensor<1x9x9x4xf32>, %w: tensor<1152xf32>) attributes {partition = 0 : i64} {
  // expected-error @+2 {{turns 4 features into 6 in 0 groups; the groups must divide both}}
  // expected-error @+1 {{failed to infer returned types}}
  %0 = smp.packed_conv %x, %w {features = 6 : i64, groups = 0 : i64, window = array<i64: 3, 3>, strides = array<i64: 1, 1>, low = array<i64: 0, 0>, high = array<i64: 0, 0>, dilations = array<i64: 1, 1>} : (tensor<1x9x9x4xf32>, tensor<1152xf32>) -> tensor<1x7x7x6xf32>
  smp.return
}

// -----

smp.stage @s(%x: tensor<1x9x9x4xf32>, %d: tensor<3x3x5xf32>) attributes {partition = 0 : i64} {
  // expected-error @+2 {{convolves 'tensor<1x9x9x4xf32>' depthwise with 'tensor<3x3x5xf32>'; the filter must be [window..., features]}}
  // expected-error @+1 {{failed to infer returned types}}
  %0 = smp.depthwise_conv %x, %d {strides = array<i64: 1, 1>, low = array<i64: 0, 0>, high = array<i64: 0, 0>, dilations = array<i64: 1, 1>} : (tensor<1x9x9x4xf32>, tensor<3x3x5xf32>) -> tensor<1x7x7x4xf32>
  smp.return
}

// -----

smp.stage @s(%x: tensor<4xf32>) attributes {partition = 0 : i64} {
  // expected-error @+1 {{takes the bits of 'f32' as 'i64'; both must be of one width}}
  %0 = smp.bit_cast %x : tensor<4xf32> to tensor<4xi64>
  smp.return
}

// -----

smp.stage @s(%x: tensor<4xf32>, %y: tensor<4xf64>) attributes {partition = 0 : i64} {
  // expected-error @+1 {{'smp.group' op has composites of different ops or types of elements; a kernel computes one kind}}
  %0:2 = smp.group whole(%x, %y) : (tensor<4xf32>, tensor<4xf64>) -> (tensor<1x10xf64>, tensor<1x10xf64>) {
  ^bb0(%a: tensor<4xf32>, %b: tensor<4xf64>):
    %1 = smp.statistics %a : (tensor<4xf32>) -> tensor<1x10xf64>
    %2 = smp.statistics %b : (tensor<4xf64>) -> tensor<1x10xf64>
    smp.return %1, %2 : tensor<1x10xf64>, tensor<1x10xf64>
  }
  smp.return
}

// -----

// expected-error @+1 {{attribute 'mode' failed to satisfy constraint}}
smp.entry @train() attributes {mode = "train"} {
  smp.return
}

// -----

// expected-error @+1 {{attribute 'unit' failed to satisfy constraint}}
smp.stage @s() attributes {partition = 0 : i64, unit = "update"} {
  smp.return
}

// -----

// expected-error @+1 {{attribute 'partition' failed to satisfy constraint}}
smp.stage @s() attributes {partition = "x"} {
  smp.return
}

// -----

module attributes {smp.partitions = 2 : i64, smp.targets = [#smp.target<"cpu">, #smp.target<"cpu">]} {
  // expected-error @+1 {{requires attribute 'partition'}}
  smp.stage @s() {
    smp.return
  }
}

// -----

// expected-error @+1 {{smp.removed_names is [1]; it must be a list of names}}
module attributes {smp.removed_names = [1]} {}

// -----

smp.stage @s(%x: tensor<4xf32>) attributes {partition = 0 : i64} {
  // expected-error @+1 {{smp.origin is 9223372036854775807 : i64; it must be an integer, an i64 in 0..4294967295}}
  %0 = smp.exp %x {smp.origin = 9223372036854775807 : i64} : tensor<4xf32>
  smp.return
}

// -----

smp.stage @s(%x: tensor<4xf32>) attributes {partition = 0 : i64} {
  // expected-error @+1 {{smp.placement names partition 9223372036854775807; it must be in 0..4095}}
  %0 = smp.exp %x {smp.placement = #smp.placement<9223372036854775807, user>} : tensor<4xf32>
  smp.return
}

// -----

smp.stage @s(%x: tensor<4xf32>) attributes {partition = 0 : i64} {
  // expected-error @+1 {{smp.in_place is array<i64: 4, 0>; it must be pairs of one of 1 operands and one of 1 results, by number}}
  %0 = smp.group loop(%x) {smp.in_place = array<i64: 4, 0>} : (tensor<4xf32>) -> (tensor<4xf32>) {
  ^bb0(%a: tensor<4xf32>):
    %1 = smp.exp %a : tensor<4xf32>
    smp.return %1 : tensor<4xf32>
  }
  smp.return
}

// -----

// expected-error @+1 {{argument 0 has smp.batch_axis "0"; it must be an i64 in 0..0}}
smp.entry @e(%x: tensor<4xf32> {smp.name = "x", smp.batch_axis = "0"}) {
  smp.return
}

// -----

// expected-error @+1 {{has the deviation -1.000000e+00; it must be 0 or more}}
smp.variable @v parameter : tensor<4xf32> = #smp.normal<0.0, -1.0, 1>

// -----

// expected-error @+1 {{draws from 1.000000e+00 to -1.000000e+00; the second must not be below the first}}
smp.variable @v parameter : tensor<4xf32> = #smp.uniform<1.0, -1.0, 3>

// -----

smp.stage @s(%x: tensor<4xf32>) attributes {partition = 0 : i64} {
  // expected-error @+1 {{'smp.group' op is of strategy loop and gives statistics alone; such a group is of strategy whole}}
  %0 = smp.group loop(%x) : (tensor<4xf32>) -> tensor<1x10xf64> {
  ^bb0(%a: tensor<4xf32>):
    %1 = smp.statistics %a : (tensor<4xf32>) -> tensor<1x10xf64>
    smp.return %1 : tensor<1x10xf64>
  }
  smp.return
}

// -----

// What a loop computes on the way is not in memory.
smp.stage @s(%x: tensor<4xf32>) attributes {partition = 0 : i64} {
  // expected-error @+1 {{'smp.group' op takes statistics of what is neither an operand nor a result of the shape that it loops over}}
  %0:2 = smp.group loop(%x) : (tensor<4xf32>) -> (tensor<4xf32>, tensor<1x10xf64>) {
  ^bb0(%a: tensor<4xf32>):
    %1 = smp.exp %a : tensor<4xf32>
    %2 = smp.neg %1 : tensor<4xf32>
    %3 = smp.statistics %1 : (tensor<4xf32>) -> tensor<1x10xf64>
    smp.return %2, %3 : tensor<4xf32>, tensor<1x10xf64>
  }
  smp.return
}

// -----

smp.stage @s(%x: tensor<4xf32>, %y: tensor<2x2xf32>) attributes {partition = 0 : i64} {
  // expected-error @+1 {{'smp.group' op takes statistics of what is neither an operand nor a result of the shape that it loops over}}
  %0:2 = smp.group loop(%x, %y) : (tensor<4xf32>, tensor<2x2xf32>) -> (tensor<4xf32>, tensor<1x10xf64>) {
  ^bb0(%a: tensor<4xf32>, %b: tensor<2x2xf32>):
    %1 = smp.exp %a : tensor<4xf32>
    %2 = smp.statistics %b : (tensor<2x2xf32>) -> tensor<1x10xf64>
    smp.return %1, %2 : tensor<4xf32>, tensor<1x10xf64>
  }
  smp.return
}

// -----

smp.stage @s(%x: tensor<4xf32>) attributes {partition = 0 : i64} {
  // expected-error @+1 {{'smp.group' op takes statistics and does not give them behind its elements}}
  %0 = smp.group loop(%x) : (tensor<4xf32>) -> tensor<4xf32> {
  ^bb0(%a: tensor<4xf32>):
    %1 = smp.exp %a : tensor<4xf32>
    %2 = smp.statistics %a : (tensor<4xf32>) -> tensor<1x10xf64>
    smp.return %1 : tensor<4xf32>
  }
  smp.return
}
