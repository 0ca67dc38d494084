# Random sequences of what owners do: protect, link, attach, rename, drop, change foreign keys, with answers in
# between. RulesModel keeps what each answer was about. Whenever one is charged, the accounts that it is charged to
# say whose the rows are: of none of them may a person, or a row, have lost more than the account shows.
#
#   IDP_RULES_TRIED    how many sequences (60)
#   IDP_RULES_SEED     where to begin (1)
use strict;
use warnings FATAL => 'all';

use FindBin;
use lib $FindBin::RealBin;
use IdpTest;
use List::Util qw(max shuffle);
use RulesModel;
use Test::More;
use Time::HiRes qw(time);

my $most_tried = $ENV{IDP_RULES_TRIED} // 60;
my $seed = $ENV{IDP_RULES_SEED} // 1;
my $node = new_node('random_rules', 'fsync = off', 'synchronous_commit = off', 'jit = off');
my $s = session($node);
$s->{quiet} = 1;
$s->value(<<'SQL');
CREATE FUNCTION drop_keys(of regclass, column_name text) RETURNS void LANGUAGE plpgsql AS $$
DECLARE name text;
BEGIN
  FOR name IN SELECT conname FROM pg_constraint WHERE conrelid = of AND contype = 'f' AND conparentid = 0
    AND conkey = ARRAY[(SELECT attnum FROM pg_attribute WHERE attrelid = of AND attname = column_name)] LOOP
    EXECUTE format('ALTER TABLE %s DROP CONSTRAINT %I', of, name);
  END LOOP;
END $$;
SQL

my ($persons, $items, @orders, @all, @answers, %claims, @log, %seen, %kinds);
my $rules = "'add_remove', rows => 'visible'";

sub one_of { return $_[ int rand @_ ] }

# Whether a command succeeded. What fails inside the server is wrong whatever it is.
sub done
{
	my ($sql) = @_;
	my $r = $s->run($sql);
	push @log, $sql . (defined $r->{sqlstate} ? "  -- $r->{sqlstate} $r->{message}" : '');
	wrong("$r->{sqlstate} $r->{message}") if ($r->{sqlstate} // '') =~ /^XX/;
	return !defined $r->{sqlstate};
}

sub wrong
{
	my ($what) = @_;
	diag "seed $seed, sequence $seen{tried}: $what\n" . join("\n", @log) if ++$seen{wrong} <= 5;
	return;
}

# --- tables -----------------------------------------------------------------------------------------------

sub make_orders
{
	my ($kind, $name) = @_;
	my %columns = (plain => [qw(id alt buyer seller)], typed => [qw(id alt buyer seller)],
		part => [qw(id d buyer seller)], whole => [qw(id d buyer seller)]);
	my $table = RulesModel->new($kind, $name, $columns{$kind}, $kind eq 'whole' ? () : (1 .. 18));
	my $keys = join ', ', map { $kind eq 'typed' ? "$_ NOT NULL REFERENCES persons (id)"
		  : "$_ int NOT NULL REFERENCES persons (id)" } 'buyer', 'seller';
	my %body = (
		plain => "(id int PRIMARY KEY, alt int NOT NULL UNIQUE, $keys)",
		typed => "OF of_order (PRIMARY KEY (id), alt NOT NULL UNIQUE, $keys)",
		part => "(id int NOT NULL, d int NOT NULL, $keys)",
		whole => "(id int NOT NULL, d int NOT NULL, $keys) PARTITION BY RANGE (d)");
	my @rows = map { my $row = $_; '(' . join(', ', map { $row->{ $_->[1] } } @{ $table->{columns} }) . ')' }
	  @{ $table->{rows} };
	return
	  unless done("CREATE TABLE $name $body{$kind}" . (@rows ? "; INSERT INTO $name VALUES " . join(', ', @rows) : ''));
	$table->{refers}{ $table->column($_) } = { $persons->column('id') => 1 } foreach 'buyer', 'seller';
	push @orders, $table;
	push @all, $table;
	return;
}

sub begin_sequence
{
	$s->value('DROP SCHEMA IF EXISTS a, b CASCADE; TRUNCATE idp.account, idp.account_end, idp.charge, idp.link; '
		  . 'CREATE SCHEMA a; CREATE SCHEMA b; SET search_path = a, public');
	(@orders, @answers, @log) = ();
	%claims = ();
	$persons = RulesModel->new('persons', 'persons', [ 'id', 'code' ], 1 .. 9);
	@all = ($persons);
	done("CREATE TABLE persons (id int PRIMARY KEY, code int NOT NULL UNIQUE); INSERT INTO persons SELECT i, i % 9 + 1 "
		  . "FROM generate_series(1, 9) i; SELECT idp.protect('persons', 1e6, $rules, unit => 'id'); "
		  . "CREATE TYPE of_order AS (id int, alt int, buyer int, seller int)");
	make_orders(@$_) foreach [ 'plain', 'n' ], [ 'plain', 'm' ], [ 'typed', 't' ], [ 'whole', 'w' ], [ 'part', 'o' ];
	$items = RulesModel->new('items', 'items', [ 'id', 'ord' ], 1 .. 9);
	$items->{of} = $orders[0];
	$items->{refers}{ $items->column('ord') } = { $orders[0]->column('id') => 1 };
	push @all, $items;
	done('CREATE TABLE items (id int PRIMARY KEY, ord int NOT NULL REFERENCES n (id)); INSERT INTO items SELECT i, i '
		  . 'FROM generate_series(1, 9) i');
	return;
}

sub is_part { my ($table) = @_; return scalar grep { $_ == $table } map { @{ $_->{parts} } } @all }
sub of_persons { my ($table) = @_; return grep { $table->{refers}{ $_->[1] } } @{ $table->{columns} } }

# --- what owners do ---------------------------------------------------------------------------------------

# Whose the rows are has to be said anew by an answer.
sub forget_claims
{
	my (@tables) = @_;
	delete $claims{$_} foreach map { ($_, @{ $_->{parts} }, $_ == $persons ? @all : ()) } @tables;
	return;
}

sub rename_in
{
	my ($table, $from, $to) = @_;
	my $command = $table->{kind} eq 'typed' ? "ALTER TYPE of_order RENAME ATTRIBUTE $from TO $to CASCADE"
	  : "ALTER TABLE $table->{name} RENAME $from TO $to";
	return 0 unless done($command);
	$_->rename_column($from, $to) foreach $table->{kind} eq 'typed' ? grep { $_->{kind} eq 'typed' } @all : $table;
	forget_claims(grep { $_->{kind} eq $table->{kind} } @all);
	return 1;
}

sub drop_in
{
	my ($table, $name) = @_;
	return 0 unless done($table->{kind} eq 'typed' ? "ALTER TYPE of_order DROP ATTRIBUTE $name CASCADE"
		  : "ALTER TABLE $table->{name} DROP COLUMN $name CASCADE");
	my $number = $table->column($name);
	delete $_->{refers}{$number} foreach @all;
	foreach my $other (@all) { delete $_->{$number} foreach values %{ $other->{refers} } }
	$_->drop_column($name) foreach $table->{kind} eq 'typed' ? grep { $_->{kind} eq 'typed' } @all : $table;
	forget_claims(@all);
	return 1;
}

sub link_to_persons
{
	my ($table) = @_;
	my $column = one_of(of_persons($table)) // return;
	forget_claims($table) if done("SELECT idp.link('$table->{name}', '$column->[0]', '$persons->{name}')");
	return;
}

my $fresh = 0;
my %commands;
%commands = (
	link => sub { link_to_persons(one_of(@orders)) },
	link_first => sub { link_to_persons($items->{of}) },
	link_items => sub { forget_claims($items) if done("SELECT idp.link('items', 'ord', '$items->{of}{name}')") },
	unlink => sub {
		my $table = one_of(@orders, $items);
		forget_claims($table) if done("SELECT idp.unlink('$table->{name}')");
	},
	protect => sub {
		my $table = one_of(@orders, $items);
		forget_claims($table) if done("SELECT idp.protect('$table->{name}', 1e6, $rules)");
	},
	unprotect => sub {
		my $table = one_of(@orders, $items);
		forget_claims($table) if done("SELECT idp.unprotect('$table->{name}')");
	},
	attach => sub {
		my ($whole, $part) = (one_of(grep { $_->{kind} eq 'whole' } @orders),
			one_of(grep { $_->{kind} eq 'part' } @orders));
		return if !$whole || !$part || is_part($part);
		return unless done("ALTER TABLE $whole->{name} ATTACH PARTITION $part->{name} FOR VALUES FROM (0) TO (100)");
		push @{ $whole->{parts} }, $part;
		forget_claims($whole);
	},
	detach => sub {
		my $whole = one_of(grep { @{ $_->{parts} } } @orders) // return;
		my $part = $whole->{parts}[0];
		return unless done("ALTER TABLE $whole->{name} DETACH PARTITION $part->{name}");
		forget_claims($whole);
		@{ $whole->{parts} } = ();
	},
	rename => sub {
		my $table = one_of(@orders);
		my $column = one_of(of_persons($table)) // return;
		rename_in($table, $column->[0], 'c' . ++$fresh);
	},
	# another column, of the unit or of orders, gets the name of one
	usurp => sub {
		my $table = one_of(@orders, $persons);
		my ($first, $second) = shuffle($table == $persons ? @{ $persons->{columns} } : of_persons($table));
		return unless $second;
		my ($name, $other) = ($first->[0], $second->[0]);
		(one_of(0, 1) ? drop_in($table, $name) : rename_in($table, $name, 'c' . ++$fresh))
		  && rename_in($table, $other, $name);
	},
	# a foreign key to another key, or one more
	refer => sub {
		my ($table, $other) = one_of([ $items, $items->{of} ], map { [ $_, $persons ] } @orders)->@*;
		my $column = one_of($table == $items ? [ 'ord', $items->column('ord') ] : of_persons($table)) // return;
		my $key = one_of(grep { $_->[0] !~ /buyer|seller|c\d/ || $other == $persons } @{ $other->{columns} }) // return;
		my $drop = one_of(0, 1, 1);
		return if is_part($table);
		return unless done("BEGIN; " . ($drop ? "SELECT drop_keys('$table->{name}', '$column->[0]'); " : '')
			  . "ALTER TABLE $table->{name} ADD FOREIGN KEY ($column->[0]) REFERENCES $other->{name} ($key->[0]); "
			  . "COMMIT") || (done('ROLLBACK') && 0);
		$table->{refers}{ $column->[1] } = {} if $drop;
		$table->{refers}{ $column->[1] }{ $key->[1] } = 1;
		forget_claims($table, $items);
	},
	# another table gets the name of one that is dropped, or one that is made anew
	replace => sub {
		my ($victim, $other) = shuffle(grep { $_->{kind} =~ /plain|typed/ } @orders);
		return if !$victim;
		my $name = $victim->{name};
		my $how = $other ? one_of('rename', 'move', 'make') : 'make';
		if ($how eq 'move')
		{
			return unless done("ALTER TABLE $other->{name} RENAME TO c" . ++$fresh)
			  && done("ALTER TABLE c$fresh SET SCHEMA b") && done("ALTER TABLE b.c$fresh RENAME TO $name");
			$other->{name} = "b.$name";
		}
		return unless done("DROP TABLE $name CASCADE");
		@orders = grep { $_ != $victim } @orders;
		@all = grep { $_ != $victim } @all;
		forget_claims($victim, $items);
		if ($how eq 'make') { make_orders($victim->{kind}, $name) if $victim->{kind} eq 'plain'; return }
		$other->{name} = $name
		  if done($how eq 'move' ? "ALTER TABLE b.$name SET SCHEMA a" : "ALTER TABLE $other->{name} RENAME TO $name");
		forget_claims($other, $items);
	},
	# the account of persons ends, and begins again; links stay
	end_persons => sub { forget_claims(@all) if done("SELECT idp.unprotect('$persons->{name}')") },
	begin_persons => sub {
		forget_claims(@all)
		  if done("SELECT idp.protect('$persons->{name}', 1e6, $rules, unit => '$persons->{columns}[0][0]')");
	},
	# what is asked by itself ends before a part of it leaves
	end_whole => sub {
		my $whole = one_of(grep { @{ $_->{parts} } } @orders) // return;
		my $answered = done("SELECT idp.protect('$whole->{name}', 1e6, $rules)");
		forget_claims($whole) if $answered;
		ask(0, $whole) if $answered;
		forget_claims($whole) if done("SELECT idp.unprotect('$whole->{name}')");
		$commands{detach}->();
	},
	# the same items in another table, whose key may refer to another one
	copy_items => sub {
		my $of = $items->{of};
		my $key = one_of(grep { $_->[0] =~ /^(id|alt)$/ } @{ $of->{columns} }) // return;
		return unless grep { $_ == $of } @orders;
		return unless done('BEGIN; CREATE TABLE copied AS TABLE items; DROP TABLE items; '
			. 'ALTER TABLE copied RENAME TO items; ALTER TABLE items ADD PRIMARY KEY (id), ALTER ord SET NOT NULL, '
			. "ADD FOREIGN KEY (ord) REFERENCES $of->{name} ($key->[0]); COMMIT") || (done('ROLLBACK') && 0);
		$items->{refers}{ $items->column('ord') } = { $key->[1] => 1 };
		forget_claims($items);
	},
	rename_table => sub {
		my $table = one_of(@orders);
		$table->{name} = "c$fresh" if done("ALTER TABLE $table->{name} RENAME TO c" . ++$fresh);
	},
	ask => sub { ask(0) }, ask_persons => sub { ask(1) });
# Of all tables; of a table and its part; of a table and what is linked to it.
my @scenes = (
	{ tables => qr/./, first => [qw(link_first link link_items ask_persons ask_persons)],
		then => [ (qw(link ask_persons ask_persons)) x 4, (qw(usurp refer replace link_items unlink)) x 2,
			(qw(ask protect unprotect)) x 2, (qw(attach end_persons begin_persons copy_items)) x 2,
			'detach', 'end_whole', 'rename', 'rename_table' ] },
	{ tables => qr/^(whole|part)$/, first => [qw(attach)],
		then => [ (qw(link protect ask ask_persons)) x 4,
			(qw(attach detach unprotect end_persons begin_persons end_whole)) x 2, 'unlink' ] },
	{ tables => qr/^plain$/, first => [qw(link_first link_items ask_persons)],
		then => [ (qw(link_items ask_persons)) x 3, 'copy_items', 'link_first', 'end_persons', 'begin_persons' ] });

# --- answers ----------------------------------------------------------------------------------------------

# What the accounts show: { account => [ spent, whether it is of persons, whether it is active ] }.
sub accounts
{
	my %found;
	foreach (split /\n/, $s->value("SELECT a.id, coalesce((SELECT sum(epsilon) FROM idp.charge WHERE account = a.id), "
		  . "0), a.unit IS NOT NULL, a.active FROM idp.account a"))
	{
		my ($id, $spent, $of_persons, $active) = split /\|/;
		$found{$id} = [ $spent, $of_persons eq 't', $active eq 't' ];
	}
	return \%found;
}

# Whether a table, or what it is a part of, has an account or a link; or one that had its name, which waits.
sub is_in
{
	my ($table, $rows) = @_;
	my $name = $table->{name};
	return $s->value("SELECT EXISTS (SELECT FROM $rows AND coalesce(relation::oid, "
		  . "to_regclass(name)) IN ('$name'::regclass, pg_partition_root('$name')))") eq 't';
}
sub is_of_persons { my ($table) = @_; return is_in($table, 'idp.link WHERE true') }
sub is_open { my ($table) = @_; return !is_in($table, 'idp.account WHERE active') && !is_of_persons($table) }

# Which person a row of orders is of: by the value of a column, through what it refers to.
sub claim
{
	my ($table, $name, $key) = @_;
	return unless is_of_persons($table);
	my %person = map { ($_->{$key} => $_->{row}) } @{ $persons->{rows} };
	foreach my $one ($table, @{ $table->{parts} })
	{
		my $column = $one->column($name);
		$claims{$one} = { map { ($_->{row} => $person{ $_->{$column} }) } @{ $one->{rows} } };
	}
	return;
}

# A question, what it counts, what an answer to it, charged to an account of persons, says of whose the rows are, and
# the tables that it reads.
sub question
{
	my ($of_persons, $asked) = @_;
	my $epsilon = one_of(1, 2);
	my $table = one_of(@orders);
	return ("SELECT dp_count($epsilon) FROM $_->{name}", $epsilon, $_->count_of_rows, sub { }, $_)
	  foreach $of_persons ? () : $asked // one_of(@orders, $items, $persons);
	my $column = one_of(of_persons($table)) // return;
	my ($key) = (keys %{ $table->{refers}{ $column->[1] } }, $persons->{columns}[0][1]);
	my $kind = one_of('orders', 'persons', (grep { $_ == $items->{of} } @orders) ? 'items' : ());
	if ($kind eq 'items')
	{
		my $of = $items->{of};
		my $id = one_of(grep { $_->[0] =~ /^(id|alt)$/ } @{ $of->{columns} });
		my $by = one_of(of_persons($of)) // return;
		return if !$id || !grep { $_ == $of } @orders;
		my ($to) = keys %{ $of->{refers}{ $by->[1] } };
		my $says = sub {
			return unless defined $to;
			claim($of, $by->[0], $to);
			return unless is_of_persons($items) && $claims{$of};
			my %order = map { ($_->[0] => $_->[1]) } $of->values_of($id->[0]);
			my $ord = $items->column('ord');
			$claims{$items} = { map { ($_->{row} => $claims{$of}{ $order{ $_->{$ord} } // '' }) } @{ $items->{rows} } };
		};
		return ("SELECT dp_count($epsilon) "
			  . "FROM (SELECT n.$by->[0] FROM items i JOIN $of->{name} n ON n.$id->[0] = i.ord GROUP BY 1) q", $epsilon,
			$items->count_of_pairs('ord', $of, $id->[0], $by->[0]), $says, $items, $of);
	}
	if ($kind eq 'persons')
	{
		my $unit = one_of(@{ $persons->{columns} });
		return ("SELECT dp_count($epsilon) FROM (SELECT p.$unit->[0] FROM $persons->{name} p "
			  . "JOIN $table->{name} n ON n.$column->[0] = p.$unit->[0] GROUP BY 1) q", $epsilon,
			$table->count_of_pairs($column->[0], $persons, $unit->[0], $unit->[0]),
			sub { claim($table, $column->[0], $unit->[1]) }, $table, $persons);
	}
	return ("SELECT dp_count($epsilon) FROM (SELECT $column->[0] FROM $table->{name} GROUP BY 1) q", $epsilon,
		$table->count_of_values($column->[0]), sub { claim($table, $column->[0], $key) }, $table);
}

sub ask
{
	my ($sql, $epsilon, $count, $says, @tables) = question(@_);
	return unless defined $sql;
	++$seen{asked};
	my $before = accounts();    # some were charged for the past since the last answer
	return unless done($sql);
	my $accounts = accounts();
	my @charged = grep { $accounts->{$_}[0] > $before->{$_}[0] } keys %$accounts;
	return unless @charged;    # a table that is open to all
	++$seen{answered};
	push @answers, [ $epsilon, $count,
		{ map { ($_->[0]{row} => 1) } map { $_->all_rows } grep { is_open($_) } @tables } ];
	my @of_persons = grep { $accounts->{$_}[1] } @charged;
	if (@of_persons)
	{
		$says->();
		my %rows = map { ($_->{row} => [ $_->{row} ]) } @{ $persons->{rows} };
		foreach my $of (values %claims)
		{
			push @{ $rows{ $of->{$_} } }, $_ foreach grep { defined $of->{$_} } keys %$of;
		}
		judge('a person', max(map { RulesModel::lost(\@answers, @$_) } values %rows),
			map { $accounts->{$_}[0] } @of_persons);
	}
	my @of_rows = grep { !$accounts->{$_}[1] && $accounts->{$_}[2] } @charged;
	my @rows = map { $_->[0]{row} } $tables[0]->all_rows;
	judge('a row', max(map { RulesModel::lost(\@answers, $_) } @rows), map { $accounts->{$_}[0] } @of_rows)
	  if @of_rows && @rows;
	return;
}

sub judge
{
	my ($whose, $lost, @shown) = @_;
	my $shown = max(@shown);
	++$seen{reached} if $lost == $shown;
	return if $lost <= $shown;
	wrong("$whose has lost $lost, the account shows $shown");
	++$kinds{$whose};
	return;
}

%seen = map { $_ => 0 } qw(tried asked answered reached wrong);
my $begin = time;
while ($seen{tried}++ < $most_tried)
{
	srand($seed * 1_000_003 + $seen{tried});
	begin_sequence();
	my $scene = $scenes[ $seen{tried} % @scenes ];
	@orders = grep { $_->{kind} =~ $scene->{tables} } @orders;
	foreach my $command (@{ $scene->{first} }, map { one_of(@{ $scene->{then} }) } 1 .. 6 + int rand 18)
	{
		my $before = $seen{wrong};
		$commands{$command}->();
		last if $seen{wrong} > $before;
	}
}
--$seen{tried};
note sprintf 'seed %d: %s; %.0f s', $seed, join(', ', map { "$seen{$_} $_" } qw(tried asked answered reached wrong)),
  time - $begin;
is($seen{wrong}, 0, 'no account shows less than a person of it, or a row, has lost, whatever its owner does');
cmp_ok($seen{answered}, '>', $seen{tried},
	"$seen{answered} of $seen{asked} questions in $seen{tried} sequences are answered");
cmp_ok($seen{reached}, '>', $seen{answered} / 20,
	"what is charged is lost by some person or row after $seen{reached} of them");
$s->quit;
$node->stop;
done_testing();
