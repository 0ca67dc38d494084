#!/usr/bin/perl
# Perl's driver: DBD::Pg, with statements that the server prepares.
use strict;
use warnings FATAL => 'all';

use DBI;
use DBD::Pg;
use JSON::PP;

my $json = JSON::PP->new->utf8->canonical;
my $connection = DBI->connect("dbi:Pg:dbname=$ENV{PGDATABASE}", $ENV{PGUSER}, $ENV{PGPASSWORD}, { RaiseError => 1, PrintError => 0 });

# Values of Perl have no types: those that the driver says the columns have stand beside them.
sub ask
{
	my ($statement, @parameters) = @_;
	my $prepared = $connection->prepare_cached($statement);
	$prepared->execute(@parameters);
	my @types = @{ $prepared->{pg_type} };
	return [ map { my $row = $_; [ map { [ $types[$_], $row->[$_] ] } 0 .. $#$row ] } @{ $prepared->fetchall_arrayref } ];
}

sub texts { return [ map { my $row = $_; [ map { [ 'text', $_ ] } @$row ] } @_ ] }

sub parameters
{
	my @answers = map {
		ask('SELECT count(*), sum(amount) FROM orders WHERE status = ? AND amount >= ? AND ordered_at >= ? AND ordered_at < ?',
			'paid', 100, '2025-03-01 00:00+00', '2025-09-01 00:00+00')
	} 1 .. 12;
	die "another answer\n" if grep { $json->encode($_) ne $json->encode($answers[0]) } @answers;
	return $answers[0];
}

sub cursor
{
	$connection->begin_work;
	$connection->do('DECLARE answers CURSOR FOR SELECT status, quantity, count(*) FROM orders GROUP BY 1, 2 ORDER BY 1, 2');
	my $rows = ask('FETCH ALL FROM answers');
	$connection->commit;
	return $rows;
}

sub probe
{
	my $prepared = $connection->prepare('SELECT * FROM (SELECT status, count(*) AS n, avg(amount) AS mean FROM orders GROUP BY 1) q LIMIT 0');
	$prepared->execute;
	return texts(map { [ $prepared->{NAME}[$_], $prepared->{pg_type}[$_] ] } 0 .. $prepared->{NUM_OF_FIELDS} - 1);
}

my %questions = (
	tables => sub { texts(map { [$_] } sort map { $_->[2] } @{ $connection->table_info(undef, 'public', '%', 'TABLE')->fetchall_arrayref }) },
	columns => sub { texts(map { [ @$_[ 3, 5 ] ] } @{ $connection->column_info(undef, 'public', 'orders', '%')->fetchall_arrayref }) },
	choices => sub { ask('SELECT DISTINCT status FROM orders ORDER BY 1') },
	probe => \&probe,
	explain => sub { texts([ @{ ask('EXPLAIN SELECT status, count(*) FROM orders GROUP BY status') } > 0 ]) },
	count => sub { ask('SELECT count(*) FROM orders') },
	by_category => sub { ask('SELECT status, count(*), sum(amount) FROM orders GROUP BY status ORDER BY status') },
	by_month => sub { ask("SELECT date_trunc('month', ordered_at) AS month, count(*) FROM orders GROUP BY 1 ORDER BY 1") },
	average => sub { ask('SELECT avg(amount), avg(quantity) FROM orders') },
	bins => sub { ask('SELECT floor(amount / 100) * 100 AS bin, count(*) FROM orders GROUP BY 1 ORDER BY 1') },
	top => sub { ask('SELECT r.name, sum(o.amount) AS revenue FROM orders o JOIN customers c ON c.id = o.customer_id JOIN regions r ON r.id = c.region_id GROUP BY r.name ORDER BY revenue DESC LIMIT 3') },
	persons => sub { ask('SELECT count(DISTINCT customer_id) FROM orders WHERE quantity > ?', 2) },
	parameters => \&parameters,
	cursor => \&cursor,
	rows => sub { ask('SELECT * FROM orders ORDER BY id LIMIT 10') },
);

$| = 1;
while (my $question = <STDIN>)
{
	chomp $question;
	if ($question eq 'version')
	{
		print $json->encode({ text => "DBD::Pg $DBD::Pg::VERSION, DBI $DBI::VERSION, libpq $connection->{pg_lib_version}" }), "\n";
		next;
	}
	my $rows = eval { $questions{$question}->() };
	print $json->encode($rows ? { rows => $rows } : { error => $connection->errstr // $@ }), "\n";
}
