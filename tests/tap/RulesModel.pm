# A model of tables whose rules change: which rows they have, by which of their columns, whatever these are
# called, and what each answer was about. It knows nothing of accounts: what an answer tells of a person,
# or of a row, is how much it would have been another one without her, or it.
package RulesModel;

use strict;
use warnings FATAL => 'all';

use List::Util qw(max sum0 uniq);

my $last_number = 0;    # of columns and rows

# Nine persons. Each bought one order, the first sold all and bought the second half; the items are of the
# first half by their order's id, and of the second by its other key.
my %values = (
	id => sub { $_[0] }, code => sub { $_[0] % 9 + 1 }, buyer => sub { $_[0] <= 9 ? $_[0] : 1 }, seller => sub { 1 },
	alt => sub { $_[0] <= 9 ? $_[0] + 9 : $_[0] - 9 }, d => sub { $_[0] }, ord => sub { $_[0] });

# A table: its name, columns [ name, number ], rows { column number => value }, what its columns refer to
# { column number => { column number of the other table => 1 } }, and the tables that are parts of it.
sub new
{
	my ($class, $kind, $name, $columns, @ids) = @_;
	my @columns = map { [ $_, ++$last_number ] } @$columns;
	my @rows = map { my $i = $_; +{ row => ++$last_number, map { ($_->[1] => $values{ $_->[0] }->($i)) } @columns } }
	  @ids;
	return bless { kind => $kind, name => $name, columns => \@columns, rows => \@rows, refers => {}, parts => [] },
	  $class;
}

sub column { my ($self, $name) = @_; return (map { $_->[1] } grep { $_->[0] eq $name } @{ $self->{columns} })[0] }
sub name_of { my ($self, $number) = @_; return (map { $_->[0] } grep { $_->[1] == $number } @{ $self->{columns} })[0] }

# All that a query of it reads: [ row, the table it is in ].
sub all_rows
{
	my ($self) = @_;
	return map { my $table = $_; map { [ $_, $table ] } @{ $table->{rows} } } $self, @{ $self->{parts} }
}

# The values of a column of that name, each with the row that it is of.
sub values_of
{
	my ($self, $name) = @_;
	return map { [ $_->[0]{ $_->[1]->column($name) }, $_->[0]{row} ] } $self->all_rows;
}

# With its parts, as a command for the whole changes them.
sub rename_column
{
	my ($self, $from, $to) = @_;
	$_->[0] = $to foreach grep { $_->[0] eq $from } map { @{ $_->{columns} } } $self, @{ $self->{parts} };
	return;
}
sub drop_column
{
	my ($self, $name) = @_;
	@{ $_->{columns} } = grep { $_->[0] ne $name } @{ $_->{columns} } foreach $self, @{ $self->{parts} };
	return;
}

# --- answers ----------------------------------------------------------------------------------------------

# Each is a function of the rows that are left out, { row => 1 }, as numbers of what it counts.
sub count_of_rows
{
	my ($self) = @_;
	my @rows = map { $_->[0]{row} } $self->all_rows;
	return sub { my ($out) = @_; return scalar grep { !$out->{$_} } @rows };
}

sub count_of_values
{
	my ($self, $name) = @_;
	my @values = $self->values_of($name);
	return sub { my ($out) = @_; return scalar uniq map { $_->[0] } grep { !$out->{ $_->[1] } } @values };
}

# Of a column of this table, or of the other one, in pairs of rows that agree in two.
sub count_of_pairs
{
	my ($self, $by, $other, $key, $shown) = @_;
	my %others = map { ($_->[0] => $_->[1]) } $other->values_of($key);
	my %shown = map { ($_->[1] => $_->[0]) } $other->values_of($shown);
	my @pairs = map { [ $_->[1], $others{ $_->[0] } ] } grep { defined $others{ $_->[0] } } $self->values_of($by);
	return sub {
		my ($out) = @_;
		return scalar uniq map { $shown{ $_->[1] } } grep { !$out->{ $_->[0] } && !$out->{ $_->[1] } } @pairs
	};
}

# What all answers, [ epsilon, function, { row => 1 } of rows that were open to all then ], tell of these rows together.
sub lost
{
	my ($answers, @rows) = @_;
	return sum0(map {
		my ($epsilon, $count, $open) = @$_;
		my %out = map { ($_ => 1) } grep { !$open->{$_} } @rows;
		%out ? $epsilon * abs($count->({}) - $count->(\%out)) : 0;
	} @$answers);
}

1;
