// Every strategy of target cuda, an entry each, at sizes that no block, warp or
// tile divides.

// A thread per element, as many as whole warps have.
smp.entry @loop(%x: tensor<3x20xf32> {smp.name = "x"}, %y: tensor<20xf32> {smp.name = "y"}) -> (tensor<3x20xf32> {smp.name = "z"}) {
  %b = smp.broadcast %y {dimensions = array<i64: 1>} : tensor<20xf32> to tensor<3x20xf32>
  %s = smp.add %x, %b : tensor<3x20xf32>
  %z = smp.neg %s : tensor<3x20xf32>
  smp.return %z : tensor<3x20xf32>
}

// Vectors by several blocks, the last one not full; three elements are left.
smp.entry @blocks(%x: tensor<1103xf32> {smp.name = "x"}) -> (tensor<1103xf32> {smp.name = "y"}) {
  %y = smp.abs %x : tensor<1103xf32>
  smp.return %y : tensor<1103xf32>
}

smp.entry @transpose(%x: tensor<6x40xf32> {smp.name = "x"}) -> (tensor<40x6xf32> {smp.name = "y"}) {
  %y = smp.transpose %x {permutation = array<i64: 1, 0>} : (tensor<6x40xf32>) -> tensor<40x6xf32>
  smp.return %y : tensor<40x6xf32>
}

// Tiles through shared memory, of which none is full.
smp.entry @tiled_transpose(%x: tensor<2x20x40xf32> {smp.name = "x"}, %y: tensor<2x40x20xf32> {smp.name = "y"}) -> (tensor<2x40x20xf32> {smp.name = "z"}) {
  %t = smp.transpose %x {permutation = array<i64: 0, 2, 1>} : (tensor<2x20x40xf32>) -> tensor<2x40x20xf32>
  %z = smp.sub %t, %y : tensor<2x40x20xf32>
  smp.return %z : tensor<2x40x20xf32>
}

// Two rows by each thread, which reads what they share once.
smp.entry @rows_in_turn(%x: tensor<144x1024xf32> {smp.name = "x"}, %y: tensor<1024xf32> {smp.name = "y"}) -> (tensor<144x1024xf32> {smp.name = "z"}) {
  %b = smp.broadcast %y {dimensions = array<i64: 1>} : tensor<1024xf32> to tensor<144x1024xf32>
  %z = smp.add %x, %b : tensor<144x1024xf32>
  smp.return %z : tensor<144x1024xf32>
}

smp.entry @concat(%a: tensor<2x3xf32> {smp.name = "a"}, %b: tensor<2x9xf32> {smp.name = "b"}) -> (tensor<2x12xf32> {smp.name = "y"}) {
  %y = smp.concat %a, %b {axis = 1 : i64} : (tensor<2x3xf32>, tensor<2x9xf32>) -> tensor<2x12xf32>
  smp.return %y : tensor<2x12xf32>
}

smp.entry @pad(%x: tensor<2x3xf32> {smp.name = "x"}, %s: tensor<f32> {smp.name = "s"}) -> (tensor<2x8xf32> {smp.name = "y"}) {
  %y = smp.pad %x, %s {high = array<i64: 0, 1>, interior = array<i64: 0, 1>, low = array<i64: 0, 2>} : (tensor<2x3xf32>, tensor<f32>) -> tensor<2x8xf32>
  smp.return %y : tensor<2x8xf32>
}

smp.entry @window(%x: tensor<1x2x7x7xf32> {smp.name = "x"}) -> (tensor<1x2x4x4xf32> {smp.name = "y"}) {
  %y = smp.window_reduce %x {dilations = array<i64: 1, 1>, high = array<i64: 1, 1>, kind = #smp.reduce<max>, low = array<i64: 1, 1>, strides = array<i64: 2, 2>, window = array<i64: 3, 3>} : (tensor<1x2x7x7xf32>) -> tensor<1x2x4x4xf32>
  smp.return %y : tensor<1x2x4x4xf32>
}

// Indices out of range are reported, the lowest of them.
smp.entry @gather(%x: tensor<9x4xf32> {smp.name = "x"}, %i: tensor<40xi64> {smp.name = "i"}) -> (tensor<40x4xf32> {smp.name = "y"}) {
  %n = smp.neg %x : tensor<9x4xf32>
  %y = smp.gather %n, %i {axis = 0 : i64} : (tensor<9x4xf32>, tensor<40xi64>) -> tensor<40x4xf32>
  smp.return %y : tensor<40x4xf32>
}

// A row by a warp.
smp.entry @short_rows(%x: tensor<6x40xf32> {smp.name = "x"}) -> (tensor<6xf32> {smp.name = "y"}) {
  %y = smp.reduce sum_squares %x {dimensions = array<i64: 1>} : (tensor<6x40xf32>) -> tensor<6xf32>
  smp.return %y : tensor<6xf32>
}

// A row by a block, whose warps hand their parts over in shared memory.
smp.entry @long_rows(%x: tensor<3x2000xf32> {smp.name = "x"}) -> (tensor<3xf32> {smp.name = "y"}) {
  %y = smp.reduce sum_squares %x {dimensions = array<i64: 1>} : (tensor<3x2000xf32>) -> tensor<3xf32>
  smp.return %y : tensor<3xf32>
}

smp.entry @softmax(%x: tensor<11x40xf32> {smp.name = "x"}) -> (tensor<11x40xf32> {smp.name = "y"}) {
  %y = smp.softmax %x {axis = 1 : i64} : tensor<11x40xf32>
  smp.return %y : tensor<11x40xf32>
}

// Two reductions of a row, the first of which may leave f32 on its way.
smp.entry @centred_short_rows(%x: tensor<6x40xf32> {smp.name = "x"}) -> (tensor<6x40xf32> {smp.name = "y"}) {
  %s = smp.reduce sum %x {dimensions = array<i64: 1>} : (tensor<6x40xf32>) -> tensor<6xf32>
  %b = smp.broadcast %s {dimensions = array<i64: 0>} : tensor<6xf32> to tensor<6x40xf32>
  %d = smp.sub %x, %b : tensor<6x40xf32>
  %m = smp.reduce max %d {dimensions = array<i64: 1>} : (tensor<6x40xf32>) -> tensor<6xf32>
  %c = smp.broadcast %m {dimensions = array<i64: 0>} : tensor<6xf32> to tensor<6x40xf32>
  %y = smp.sub %d, %c : tensor<6x40xf32>
  smp.return %y : tensor<6x40xf32>
}

// A row by a warp, in vectors.
smp.entry @vector_rows(%x: tensor<5x132xf32> {smp.name = "x"}) -> (tensor<5xf32> {smp.name = "y"}) {
  %y = smp.reduce sum_squares %x {dimensions = array<i64: 1>} : (tensor<5x132xf32>) -> tensor<5xf32>
  smp.return %y : tensor<5xf32>
}

// Several rows of a block one after the other, which share an operand.
smp.entry @sharing_rows(%x: tensor<2051x40xf32> {smp.name = "x"}, %w: tensor<40xf32> {smp.name = "w"}) -> (tensor<2051x40xf32> {smp.name = "y"}) {
  %m = smp.reduce max %x {dimensions = array<i64: 1>} : (tensor<2051x40xf32>) -> tensor<2051xf32>
  %b = smp.broadcast %m {dimensions = array<i64: 0>} : tensor<2051xf32> to tensor<2051x40xf32>
  %c = smp.broadcast %w {dimensions = array<i64: 1>} : tensor<40xf32> to tensor<2051x40xf32>
  %d = smp.sub %x, %b : tensor<2051x40xf32>
  %y = smp.add %d, %c : tensor<2051x40xf32>
  smp.return %y : tensor<2051x40xf32>
}

smp.entry @centred_long_rows(%x: tensor<3x1100xf32> {smp.name = "x"}) -> (tensor<3x1100xf32> {smp.name = "y"}) {
  %s = smp.reduce sum %x {dimensions = array<i64: 1>} : (tensor<3x1100xf32>) -> tensor<3xf32>
  %b = smp.broadcast %s {dimensions = array<i64: 0>} : tensor<3xf32> to tensor<3x1100xf32>
  %d = smp.sub %x, %b : tensor<3x1100xf32>
  %m = smp.reduce max %d {dimensions = array<i64: 1>} : (tensor<3x1100xf32>) -> tensor<3xf32>
  %c = smp.broadcast %m {dimensions = array<i64: 0>} : tensor<3xf32> to tensor<3x1100xf32>
  %y = smp.sub %d, %c : tensor<3x1100xf32>
  smp.return %y : tensor<3x1100xf32>
}

smp.entry @columns(%x: tensor<200x6xf32> {smp.name = "x"}) -> (tensor<6xf32> {smp.name = "y"}) {
  %y = smp.reduce sum %x {dimensions = array<i64: 0>} : (tensor<200x6xf32>) -> tensor<6xf32>
  smp.return %y : tensor<6xf32>
}

// Vectors of columns, and two blocks that share them; a second launch joins what
// they leave.
smp.entry @columns_in_parts(%x: tensor<1100x40xf32> {smp.name = "x"}) -> (tensor<40xf32> {smp.name = "y"}) {
  %y = smp.reduce sum %x {dimensions = array<i64: 0>} : (tensor<1100x40xf32>) -> tensor<40xf32>
  smp.return %y : tensor<40xf32>
}

// A row by eight blocks, the last of which has less of it.
smp.entry @row_in_parts(%x: tensor<66000xf32> {smp.name = "x"}) -> (tensor<f32> {smp.name = "y"}) {
  %y = smp.reduce sum %x {dimensions = array<i64: 0>} : (tensor<66000xf32>) -> tensor<f32>
  smp.return %y : tensor<f32>
}

// A loop that reduces neighbours, and what is further apart.
smp.entry @rows_of_several(%x: tensor<3x4x20xf32> {smp.name = "x"}) -> (tensor<4xf32> {smp.name = "y"}) {
  %y = smp.reduce sum_squares %x {dimensions = array<i64: 0, 2>} : (tensor<3x4x20xf32>) -> tensor<4xf32>
  smp.return %y : tensor<4xf32>
}

// A warp per result, and a block.
smp.entry @arg_of_short_rows(%x: tensor<6x70xf32> {smp.name = "x"}) -> (tensor<6xi64> {smp.name = "y"}) {
  %y = smp.arg_reduce max %x {axis = 1 : i64} : (tensor<6x70xf32>) -> tensor<6xi64>
  smp.return %y : tensor<6xi64>
}

smp.entry @arg_of_long_rows(%x: tensor<3x1100xf32> {smp.name = "x"}) -> (tensor<3xi64> {smp.name = "y"}) {
  %y = smp.arg_reduce max %x {axis = 1 : i64} : (tensor<3x1100xf32>) -> tensor<3xi64>
  smp.return %y : tensor<3xi64>
}

smp.entry @arg_max(%x: tensor<61x12xf32> {smp.name = "x"}) -> (tensor<61xi64> {smp.name = "y"}) {
  %y = smp.arg_reduce max %x {axis = 1 : i64} : (tensor<61x12xf32>) -> tensor<61xi64>
  smp.return %y : tensor<61xi64>
}

smp.entry @scan(%x: tensor<2x8xf32> {smp.name = "x"}) -> (tensor<2x8xf32> {smp.name = "y"}) {
  %y = smp.scan sum %x {axis = 1 : i64} : tensor<2x8xf32>
  smp.return %y : tensor<2x8xf32>
}

smp.entry @scatter(%t: tensor<9x4xf32> {smp.name = "t"}, %i: tensor<5x1xi64> {smp.name = "i"}, %u: tensor<5x4xf32> {smp.name = "u"}) -> (tensor<9x4xf32> {smp.name = "y"}) {
  %y = smp.scatter_nd %t, %i, %u {kind = #smp.scatter_kind<sum>} : (tensor<9x4xf32>, tensor<5x1xi64>, tensor<5x4xf32>) -> tensor<9x4xf32>
  smp.return %y : tensor<9x4xf32>
}

// Updates are sorted by their rows; a warp a row adds its updates.
smp.entry @sorted_scatter(%t: tensor<9x140xf32> {smp.name = "t"}, %i: tensor<61x1xi64> {smp.name = "i"}, %u: tensor<61x140xf32> {smp.name = "u"}) -> (tensor<9x140xf32> {smp.name = "y"}) {
  %y = smp.scatter_nd %t, %i, %u {kind = #smp.scatter_kind<sum>} : (tensor<9x140xf32>, tensor<61x1xi64>, tensor<61x140xf32>) -> tensor<9x140xf32>
  smp.return %y : tensor<9x140xf32>
}

// Some lines by a block, sorted in its shared memory.
smp.entry @sort(%x: tensor<7x40xf32> {smp.name = "x"}) -> (tensor<7x40xf32> {smp.name = "v"}, tensor<7x40xi64> {smp.name = "i"}) {
  %y:2 = smp.top_k %x {axis = 1 : i64, k = 40 : i64, largest = true} : (tensor<7x40xf32>) -> (tensor<7x40xf32>, tensor<7x40xi64>)
  smp.return %y#0, %y#1 : tensor<7x40xf32>, tensor<7x40xi64>
}

// The largest of a row: runs that are merged keep as many as are wanted.
smp.entry @top_k(%x: tensor<3x70xf32> {smp.name = "x"}) -> (tensor<3x5xf32> {smp.name = "v"}, tensor<3x5xi64> {smp.name = "i"}) {
  %v, %i = smp.top_k %x {axis = 1 : i64, k = 5 : i64, largest = true} : (tensor<3x70xf32>) -> (tensor<3x5xf32>, tensor<3x5xi64>)
  smp.return %v, %i : tensor<3x5xf32>, tensor<3x5xi64>
}

// More than a block sorts: blocks sort tiles, and a second launch merges them.
smp.entry @long_sort(%x: tensor<1x2500xf32> {smp.name = "x"}) -> (tensor<1x2500xf32> {smp.name = "v"}, tensor<1x2500xi64> {smp.name = "i"}) {
  %v, %i = smp.top_k %x {axis = 1 : i64, k = 2500 : i64, largest = true} : (tensor<1x2500xf32>) -> (tensor<1x2500xf32>, tensor<1x2500xi64>)
  smp.return %v, %i : tensor<1x2500xf32>, tensor<1x2500xi64>
}

// A thread per result.
smp.entry @product(%x: tensor<9x24xf32> {smp.name = "x"}, %w: tensor<24x40xf32> {smp.name = "w"}) -> (tensor<9x40xf32> {smp.name = "y"}) {
  %0 = smp.dot_general %x, %w {lhs_batch = array<i64>, rhs_batch = array<i64>, lhs_contract = array<i64: 1>, rhs_contract = array<i64: 0>} : (tensor<9x24xf32>, tensor<24x40xf32>) -> tensor<9x40xf32>
  %1 = smp.neg %0 : tensor<9x40xf32>
  smp.return %1 : tensor<9x40xf32>
}

// A tile of results by a block, through shared memory.
smp.entry @tiled_rows(%x: tensor<32x37xf32> {smp.name = "x"}, %w: tensor<37x64xf32> {smp.name = "w"}) -> (tensor<32x64xf32> {smp.name = "y"}) {
  %0 = smp.dot_general %x, %w {lhs_batch = array<i64>, rhs_batch = array<i64>, lhs_contract = array<i64: 1>, rhs_contract = array<i64: 0>} : (tensor<32x37xf32>, tensor<37x64xf32>) -> tensor<32x64xf32>
  %1 = smp.neg %0 : tensor<32x64xf32>
  smp.return %1 : tensor<32x64xf32>
}

smp.entry @tiled_columns(%x: tensor<32x36xf32> {smp.name = "x"}, %w: tensor<41x36xf32> {smp.name = "w"}) -> (tensor<32x41xf32> {smp.name = "y"}) {
  %0 = smp.dot_general %x, %w {lhs_batch = array<i64>, rhs_batch = array<i64>, lhs_contract = array<i64: 1>, rhs_contract = array<i64: 1>} : (tensor<32x36xf32>, tensor<41x36xf32>) -> tensor<32x41xf32>
  %1 = smp.neg %0 : tensor<32x41xf32>
  smp.return %1 : tensor<32x41xf32>
}

smp.entry @convolution(%x: tensor<1x4x9x9xf32> {smp.name = "x"}, %w: tensor<6x4x3x3xf32> {smp.name = "w"}) -> (tensor<1x6x7x7xf32> {smp.name = "y"}) {
  %0 = smp.conv %x, %w {strides = array<i64: 1, 1>, low = array<i64: 0, 0>, high = array<i64: 0, 0>, dilations = array<i64: 1, 1>, groups = 1 : i64} : (tensor<1x4x9x9xf32>, tensor<6x4x3x3xf32>) -> tensor<1x6x7x7xf32>
  smp.return %0 : tensor<1x6x7x7xf32>
}

// Sums of parts of the depth, which a second kernel adds: of tiles, and of a
// thread per result, where the last part is shorter.
smp.entry @split_tiles(%x: tensor<32x512xf32> {smp.name = "x"}, %w: tensor<32x512xf32> {smp.name = "w"}) -> (tensor<32x32xf32> {smp.name = "y"}) {
  %0 = smp.dot_general %x, %w {lhs_batch = array<i64>, rhs_batch = array<i64>, lhs_contract = array<i64: 1>, rhs_contract = array<i64: 1>} : (tensor<32x512xf32>, tensor<32x512xf32>) -> tensor<32x32xf32>
  smp.return %0 : tensor<32x32xf32>
}

smp.entry @split_loops(%x: tensor<4x520xf32> {smp.name = "x"}, %w: tensor<520x8xf32> {smp.name = "w"}) -> (tensor<4x8xf32> {smp.name = "y"}) {
  %0 = smp.dot_general %x, %w {lhs_batch = array<i64>, rhs_batch = array<i64>, lhs_contract = array<i64: 1>, rhs_contract = array<i64: 0>} : (tensor<4x520xf32>, tensor<520x8xf32>) -> tensor<4x8xf32>
  smp.return %0 : tensor<4x8xf32>
}

// A tile of results by a block; each position of the window is beside the input
// for some results.
smp.entry @tiled_convolution(%x: tensor<1x16x64xf32> {smp.name = "x"}, %w: tensor<32x16x2xf32> {smp.name = "w"}) -> (tensor<1x32x64xf32> {smp.name = "y"}) {
  %0 = smp.conv %x, %w {strides = array<i64: 1>, low = array<i64: 4>, high = array<i64: 4>, dilations = array<i64: 8>, groups = 1 : i64} : (tensor<1x16x64xf32>, tensor<32x16x2xf32>) -> tensor<1x32x64xf32>
  smp.return %0 : tensor<1x32x64xf32>
}

smp.entry @random(%step: tensor<i64> {smp.name = "step"}, %m: tensor<1xi64> {smp.name = "m"}) -> (tensor<5x9xf32> {smp.name = "y"}) {
  %y = smp.random %step, %m {seed = 7 : i64, site = 1 : i64} : (tensor<i64>, tensor<1xi64>) -> tensor<5x9xf32>
  smp.return %y : tensor<5x9xf32>
}

// A line by a thread, whose block carries elements, in turns; and by a warp.
smp.entry @scan_tiles(%x: tensor<63x70xf32> {smp.name = "x"}) -> (tensor<63x70xf32> {smp.name = "y"}) {
  %y = smp.scan sum %x {axis = 1 : i64} : tensor<63x70xf32>
  smp.return %y : tensor<63x70xf32>
}

smp.entry @scan_warps(%x: tensor<5x90xi64> {smp.name = "x"}) -> (tensor<5x90xi64> {smp.name = "y"}) {
  %y = smp.scan sum %x {axis = 1 : i64} : tensor<5x90xi64>
  smp.return %y : tensor<5x90xi64>
}

// Tiles of 16-bit floats, two of a depth in a word.
smp.entry @tiled_halves(%x: tensor<38x37xbf16> {smp.name = "x"}, %w: tensor<37x48xbf16> {smp.name = "w"}) -> (tensor<38x48xbf16> {smp.name = "y"}) {
  %0 = smp.dot_general %x, %w {lhs_batch = array<i64>, rhs_batch = array<i64>, lhs_contract = array<i64: 1>, rhs_contract = array<i64: 0>} : (tensor<38x37xbf16>, tensor<37x48xbf16>) -> tensor<38x48xbf16>
  smp.return %0 : tensor<38x48xbf16>
}

smp.entry @tiled_half_pairs(%x: tensor<32x40xbf16> {smp.name = "x"}, %w: tensor<48x40xbf16> {smp.name = "w"}) -> (tensor<32x48xbf16> {smp.name = "y"}) {
  %0 = smp.dot_general %x, %w {lhs_batch = array<i64>, rhs_batch = array<i64>, lhs_contract = array<i64: 1>, rhs_contract = array<i64: 1>} : (tensor<32x40xbf16>, tensor<48x40xbf16>) -> tensor<32x48xbf16>
  smp.return %0 : tensor<32x48xbf16>
}
